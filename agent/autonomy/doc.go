// Package autonomy tells whether a language model's answer stops to ask a person
// where it should go on, and does something about it.
//
// An [Analyzer] judges one answer: by phrases in twenty-six languages, by words and
// what they mean, by where they stand and by what follows them. What each of these
// weighs was learnt from answers that twenty-seven hands wrote. It says how sure it is and
// why, whether only a person may settle what is asked, and what the model would likely do
// if it were told yes. What is quoted, code, a table, a letter, or what a task asked to be
// written does not count.
//
// A [ContextInjector] keeps the task in sight of a model whose history is cut. An
// [AutoResponder] tells a model that asks to go on, a few times and each time more
// firmly, and never answers about payments, credentials, consent or anything
// destructive. A [Guard] puts the three around any model; at first it only counts and
// tells (the mode [Log]), until it is told to [Act].
//
// The package uses nothing else of this module, and keeps nothing of what was said.
package autonomy

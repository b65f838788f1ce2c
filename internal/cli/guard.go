package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/agent/autonomy"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/render"
)

func (a *app) guardCommand() *cobra.Command {
	var o guardFlags
	c := &cobra.Command{
		Use:   "guard",
		Short: "Judge whether a model's answer stops to ask a person",
		Long: `Guard reads what a language model has said from standard input, and tells whether it stops
to ask a person where it should go on: a question, a list of options, a request for leave,
"let me know if". Quotations, code, tables, what a task asked to be written, and polite
closings of finished reports do not count.

Standard input is one answer as text, or a transcript: JSON lines with "role", "content" (or
"text") and "tool_calls". Of a transcript each answer of the model is judged, and the first
message of the user is taken for the task.

What asks about payments, credentials, consent or anything destructive needs a person; no
answer is made up for it. It ends with 0 however many ask, unless --hil-strict is given.

Its settings are a section of the settings file (--config):

  human_in_loop:
    mode: log
    detection: {threshold: 0.8, patterns: {ask: [over and out]}}
    prevention: {reminder_frequency: 5}
    recovery: {max_attempts: 3}`,
		Example: `  echo "All tests pass. Shall I merge it?" | reprise guard
  reprise guard --no-human-in-loop --hil-verbose < transcript.jsonl
  reprise guard --hil-strict --json --config guard.yaml < answer.txt`,
		Args:              exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              a.run(func(cmd *cobra.Command, _ []string) error { return a.guard(cmd.Context(), &o) }),
	}
	flags := c.Flags()
	flags.BoolVar(&o.alone, "no-human-in-loop", false, "tell, too, what the model would be told in place of a person (default: only judge)")
	flags.BoolVar(&o.strict, "hil-strict", false, "end with 1 at the first answer that asks (default: judge all, and end with 0)")
	flags.BoolVar(&o.verbose, "hil-verbose", false, "tell of each answer, with all reasons (default: of those that ask)")
	flags.StringVar(&o.task, "task", "", "`TEXT` of the task that the model was given (default: a transcript's first message)")
	return c
}

type guardFlags struct {
	alone, strict, verbose bool
	task                   string
}

func (a *app) guard(ctx context.Context, o *guardFlags) error {
	messages, err := a.guardInput()
	if err != nil {
		return err
	}
	g, err := o.guardFor(messages, a.config.HumanInLoop)
	if err != nil {
		return err
	}
	result := render.Guarded{Answers: []render.Verdict{}}
	var stopped error
	for i, m := range messages {
		if m.Role != autonomy.Assistant {
			continue
		}
		d, err := g.After(ctx, messages[:i], m)
		if err != nil {
			return err
		}
		j := render.Verdict{Message: i + 1, Verdict: d.Verdict, Text: m.Text}
		if o.alone && d.Verdict.Asking {
			j.Would = &d.Would
		}
		result.Answers = append(result.Answers, j)
		if o.strict && d.Verdict.Asking {
			stopped = fmt.Errorf("message %d asks a person", i+1)
			break
		}
	}
	result.Stats = g.Stats()
	return failure.Printed(stopped, a.result(result, func(s render.Style) string { return result.Summary(s, o.verbose) }))
}

// guardInput reads a transcript, or one answer as a transcript of one message.
func (a *app) guardInput() ([]autonomy.Message, error) {
	data, err := files.Read(a.stdin, "-", files.MaxTranscript)
	if err != nil {
		return nil, err
	}
	if !autonomy.IsTranscript(data) {
		return []autonomy.Message{{Role: autonomy.Assistant, Text: string(data)}}, nil
	}
	messages, err := autonomy.ReadTranscript(data)
	if err != nil {
		return nil, failure.Usagef("%v", err)
	}
	return messages, nil
}

// guardFor returns the guard that the flags describe.
func (o *guardFlags) guardFor(messages []autonomy.Message, settings autonomy.Settings) (*autonomy.Guard, error) {
	task := autonomy.Task{Instructions: o.task}
	for _, m := range messages {
		if task.Instructions == "" && m.Role == autonomy.User {
			task.Instructions = m.Text
		}
	}
	// The answers cannot be changed any more: the guard only reports what it would do.
	settings.Mode = autonomy.Log
	return autonomy.New(task, &settings, nil)
}

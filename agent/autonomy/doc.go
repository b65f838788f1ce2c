// Package autonomy tells whether a language model's answer stops to ask a person
// where it should go on, and does something about it.
package autonomy

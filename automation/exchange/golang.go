package exchange

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/go-reprise/reprise/automation"
)

// writeGo writes a program that plays the document, which it holds whole: nothing
// is lost.
func writeGo(w *writer) ([]byte, error) {
	document, err := automation.Marshal(w.automation)
	if err != nil {
		return nil, err
	}
	p := program{Name: w.automation.Name, Document: goString(string(document)), Account: strconv.Quote(w.automation.Match.Account)}
	environment := w.environment()
	for _, name := range w.declared.Names() {
		v := goVariable{Name: name, Quoted: strconv.Quote(name), Environment: environment[name], Secret: w.declared.IsSecret(name), Flag: name}
		if slices.Contains([]string{"headed", "commit", "h", "help"}, name) {
			v.Flag = "var-" + name
		}
		if _, given := w.values[name]; given {
			v.Default, _ = w.known(name)
		}
		v.Default = strconv.Quote(v.Default)
		p.Variables = append(p.Variables, v)
		p.Flags = p.Flags || !v.Secret
	}
	for i, step := range w.automation.Steps {
		if strings.Contains(step.Tool, ".") {
			w.at, p.Own = i, true
			w.lose(Changed, "it is a tool of some program's own, which this one does not have", "")
		}
	}
	w.at = whole
	var b bytes.Buffer
	if err := goProgram.Execute(&b, p); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

// goString is a text as a raw string where it can be one, for people to read.
func goString(s string) string {
	if strings.Contains(s, "`") || strings.ContainsRune(s, '\r') || strings.ContainsRune(s, '\ufeff') {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}

type program struct {
	Name, Document, Account string
	Variables               []goVariable
	Flags, Own              bool
}

type goVariable struct {
	Name, Quoted, Environment, Flag, Default string
	Secret                                   bool
}

// Usage is what the help of a flag says.
func (v goVariable) Usage() string {
	return strconv.Quote(fmt.Sprintf("value of %s (default: $%s)", v.Name, v.Environment))
}

var goProgram = template.Must(template.New("program").Parse(`// {{.Name}} plays a flow in a browser of its own. It was written by
// "reprise export --to go", and is yours to change.
{{- if .Variables}}
//
// It takes these values:
//
{{- range .Variables}}
//	{{.Name}}: {{if not .Secret}}-{{.Flag}}, or {{end}}${{.Environment}}
{{- end}}
{{- end}}
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
)

func main() {
	headed := flag.Bool("headed", false, "show the browser")
	commit := flag.Bool("commit", false, "also do commit steps, such as paying (default: end before them)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *headed, *commit)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, headed, commit bool) error {
	doc, err := automation.Parse([]byte(document){{if .Own}}, automation.AnyTools(){{end}})
	if err != nil {
		return err
	}
	{{- if .Variables}}
	declared, err := doc.Declared()
	if err != nil {
		return err
	}
	{{- end}}
	b, err := browser.Launch(ctx, &browser.Options{Headed: headed})
	if err != nil {
		return err
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "")
	if err != nil {
		return err
	}
	policy := replayer.RefuseCommits
	if commit {
		policy = replayer.AllowCommits
	}
	result, err := replayer.Play(ctx, page, doc, &replayer.Options{
		{{- if .Variables}}
		Values: values{declared},
		{{- end}}
		Commit: policy,
		OnStep: func(s replayer.StepResult) { fmt.Println(s.Index+1, s.Tool, s.Selector) },
	})
	if err != nil {
		return err // a *replayer.Error: its step, its code, and what was tried
	}
	fmt.Println("done, at", result.URL)
	return nil
}
{{if .Variables}}
{{- if .Flags}}
// flags are the values that can be seen by everybody on this machine.
var flags = map[string]*string{
{{- range .Variables}}{{if not .Secret}}
	{{.Quoted}}: flag.String("{{.Flag}}", {{.Default}}, {{.Usage}}),{{end}}{{end}}
}
{{end}}
// environment is where all of them are looked for, and those of secrets only.
var environment = map[string]string{
{{- range .Variables}}
	{{.Quoted}}: "{{.Environment}}",{{end}}
}

// values returns what the automation asks for.
type values struct{ declared *automation.Variables }

func (v values) Value(_ context.Context, name string) (any, error) {
	text, given := os.LookupEnv(environment[name])
	{{- if .Flags}}
	if set := flags[name]; set != nil && *set != "" {
		text, given = *set, true
	}
	{{- end}}
	if !given {
		return nil, replayer.ErrNoValue
	}
	return v.declared.Coerce(name, text)
}
{{end}}
// document is the automation.
const document = {{.Document}}
`))

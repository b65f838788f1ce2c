package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
)

// valueFlags are the flags that give values.
type valueFlags struct {
	plain, env []string
	file       string
	task       string
}

func (v *valueFlags) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&v.plain, "var", nil, "`NAME=VALUE` for a variable that is no secret (default: none; may be repeated)")
	f.StringArrayVar(&v.env, "var-env", nil, "`NAME=VARIABLE` of the environment that holds the value (default: none; may be repeated)")
	f.StringVar(&v.file, "vars", "", "`FILE` with values as a JSON object, - is standard input; or a table of them, .csv or .jsonl (default: none)")
	f.StringVar(&v.task, "task", "", "`ID` of a task that has values (default: none)")
}

// gather gives the values for a document, checked as far as they can be before
// it is played.
func (v *valueFlags) gather(ctx context.Context, a *app, plan *runner.Plan) (replayer.Map, error) {
	declared, err := plan.Document.Declared()
	if err != nil {
		return nil, err
	}
	values, err := v.fromFile(a, declared)
	if err != nil {
		return nil, err
	}
	rows := []replayer.Map{values}
	if err := v.complete(ctx, a, plan, declared, rows); err != nil {
		return nil, err
	}
	return values, nil
}

// complete adds to the values of each row what the flags give and a person is asked
// for, and checks them.
func (v *valueFlags) complete(ctx context.Context, a *app, plan *runner.Plan, declared *automation.Variables, rows []replayer.Map) error {
	for _, values := range rows {
		if err := v.fromEnv(declared, values); err != nil {
			return err
		}
		if err := v.fromFlags(declared, values); err != nil {
			return err
		}
	}
	if err := v.ask(ctx, a, plan, declared, rows); err != nil {
		return err
	}
	for i, values := range rows {
		err := plan.With(values).Check(ctx)
		var wrong *replayer.Error
		if errors.As(err, &wrong) {
			err = invalid(inRow(v, i, wrong.Err))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// invalid says it as the replayer would.
func invalid(err error) error {
	return &replayer.Error{Code: replayer.InvalidValue, Step: -1, Err: err,
		Reason: err.Error() + "\n(values come from --var, secrets from --var-env, --vars, --task or the vault)"}
}

func (v *valueFlags) fromFlags(declared *automation.Variables, values replayer.Map) error {
	return each("--var", v.plain, declared, func(name, value string) error {
		if declared.IsSecret(name) {
			return usagef("--var %s: this is a secret, and command lines are seen by other users and kept by shells: "+
				"use --var-env %s=VARIABLE or --vars FILE", name, name)
		}
		return coerce(declared, values, name, value)
	})
}

func (v *valueFlags) fromEnv(declared *automation.Variables, values replayer.Map) error {
	return each("--var-env", v.env, declared, func(name, variable string) error {
		value, set := os.LookupEnv(variable)
		if !set {
			return usagef("--var-env %s: there is no variable %s in the environment", name, variable)
		}
		return coerce(declared, values, name, value)
	})
}

func coerce(declared *automation.Variables, values replayer.Map, name, text string) error {
	value, err := declared.Coerce(name, text)
	if err != nil {
		return invalid(err)
	}
	values[name] = value
	return nil
}

// each takes NAME=SOMETHING apart. What is wrong is told without the value.
func each(flag string, pairs []string, declared *automation.Variables, take func(name, text string) error) error {
	for _, pair := range pairs {
		name, text, found := strings.Cut(pair, "=")
		if !found || name == "" {
			return usagef("%s wants NAME=…, and one of them has no name or no =", flag)
		}
		if err := known(flag, name, declared); err != nil {
			return err
		}
		if err := take(name, text); err != nil {
			return err
		}
	}
	return nil
}

func known(flag, name string, declared *automation.Variables) error {
	switch {
	case declared.Has(name):
		return nil
	case len(declared.Names()) == 0:
		return usagef("%s %.40s: the document has no variables", flag, name)
	}
	return usagef("%s %.40s: the document has no such variable, but %s", flag, name, strings.Join(declared.Names(), ", "))
}

// fromFile reads the values of --vars.
func (v *valueFlags) fromFile(a *app, declared *automation.Variables) (replayer.Map, error) {
	values := replayer.Map{}
	if v.file == "" {
		return values, nil
	}
	data, err := v.read(a)
	if err != nil {
		return nil, usagef("--vars: %v", err)
	}
	if !decodeObject(data, &values) {
		return nil, usagef("--vars %s: this is not a JSON object with values", v.file) // its text may hold secrets
	}
	return values, seal(declared, values)
}

// seal holds the values of a file to what the document declares, and has those of
// secrets be ones.
func seal(declared *automation.Variables, values replayer.Map) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := known("--vars", name, declared); err != nil {
			return err
		}
		if text, plain := values[name].(string); plain && declared.IsSecret(name) {
			if err := coerce(declared, values, name, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// decodeObject reads a JSON object, and numbers as they are written.
func decodeObject(data []byte, values *replayer.Map) bool {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(values) != nil || *values == nil {
		return false
	}
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}

// othersMayRead is the permission of others than its owner.
const othersMayRead fs.FileMode = 0o044

func (v *valueFlags) read(a *app) ([]byte, error) {
	if info, err := os.Stat(v.file); v.file != "-" && err == nil && info.Mode().IsRegular() && info.Mode()&othersMayRead != 0 {
		a.warn(fmt.Errorf("other users of this machine may read %s: chmod 600 it", v.file))
	}
	return readInput(a.stdin, v.file, maxValues)
}

// ask asks for the secrets that are missing, where somebody is there to answer: once
// for all rows.
func (v *valueFlags) ask(ctx context.Context, a *app, plan *runner.Plan, declared *automation.Variables, rows []replayer.Map) error {
	if v.file == "-" || !render.IsTerminal(a.stdin) {
		return nil
	}
	out, done := a.questions()
	defer done()
	required := declared.Required()
	for _, name := range declared.Secrets() {
		lacking := slices.DeleteFunc(slices.Clone(rows), func(values replayer.Map) bool {
			_, given := values[name]
			return given
		})
		if len(lacking) == 0 || !slices.Contains(required, name) {
			continue
		}
		switch lacks, err := plan.Lacks(ctx, name); {
		case err != nil:
			return err
		case !lacks:
			continue
		}
		text, err := readSecret(ctx, a.stdin, out, name+": ")
		if errors.Is(err, io.EOF) {
			return nil // what is missing is told with the rest
		}
		if err != nil {
			return err
		}
		for _, values := range lacking {
			if err := coerce(declared, values, name, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// isTable reports whether the file of --vars has values for many runs.
func (v *valueFlags) isTable() bool {
	switch strings.ToLower(filepath.Ext(v.file)) {
	case ".csv", ".jsonl", ".ndjson":
		return true
	}
	return false
}

// rows gives the values of each row of the table, or one row of those of gather. All
// of them are checked.
func (v *valueFlags) rows(ctx context.Context, a *app, plan *runner.Plan) ([]replayer.Map, error) {
	if !v.isTable() {
		values, err := v.gather(ctx, a, plan)
		return []replayer.Map{values}, err
	}
	declared, err := plan.Document.Declared()
	if err != nil {
		return nil, err
	}
	data, err := v.read(a)
	if err != nil {
		return nil, usagef("--vars: %v", err)
	}
	read := v.fromLines
	if strings.EqualFold(filepath.Ext(v.file), ".csv") {
		read = v.fromTable
	}
	rows, err := read(declared, data)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, usagef("--vars %s: there are no rows in it", v.file)
	}
	return rows, v.complete(ctx, a, plan, declared, rows)
}

// inRow says of which row of a table an error is.
func inRow(v *valueFlags, i int, err error) error {
	if !v.isTable() {
		return err
	}
	var played *replayer.Error
	if errors.As(err, &played) {
		in := *played
		in.Reason = fmt.Sprintf("row %d: %s", i+1, in.Reason)
		return &in
	}
	return fmt.Errorf("row %d: %w", i+1, err)
}

// fromLines reads a JSON object a line. What is wrong with one is told without its text,
// which may hold secrets.
func (v *valueFlags) fromLines(declared *automation.Variables, data []byte) ([]replayer.Map, error) {
	var rows []replayer.Map
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		values := replayer.Map{}
		if !decodeObject(line, &values) {
			return nil, usagef("--vars %s: row %d is not a JSON object with values", v.file, len(rows)+1)
		}
		if err := seal(declared, values); err != nil {
			return nil, inRow(v, len(rows), err)
		}
		rows = append(rows, values)
	}
	return rows, nil
}

// byteOrderMark begins the tables of some programs.
const byteOrderMark = "\ufeff"

// fromTable reads comma-separated values, whose first row has the names. An empty
// cell gives no value.
func (v *valueFlags) fromTable(declared *automation.Variables, data []byte) ([]replayer.Map, error) {
	cells, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte(byteOrderMark)))).ReadAll()
	if err != nil {
		return nil, usagef("--vars %s: it is no table: %v", v.file, err)
	}
	if len(cells) == 0 {
		return nil, nil
	}
	names := cells[0]
	for i, name := range names {
		if !declared.Has(name) { // it is not quoted: where the names were left out it is a value
			return nil, usagef("--vars %s: the first row must have the names of variables (%s), and column %d of it has none of them",
				v.file, strings.Join(declared.Names(), ", "), i+1)
		}
	}
	var rows []replayer.Map
	for i, row := range cells[1:] {
		values := replayer.Map{}
		for column, text := range row {
			if text == "" {
				continue
			}
			if err := coerce(declared, values, names[column], text); err != nil {
				return nil, inRow(v, i, err)
			}
		}
		rows = append(rows, values)
	}
	return rows, nil
}

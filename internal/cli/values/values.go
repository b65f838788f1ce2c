// Package values reads the values of an automation's variables: from flags, the environment, a
// file, a table with a row for each run, or the user at a terminal.
package values

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
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/terminal"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/worker"
	"github.com/go-reprise/reprise/replayer"
)

// Flags are the flags for values.
type Flags struct {
	Plain, Env []string
	File       string
	Task       string
}

// Register adds the flags to a command.
func (o *Flags) Register(f *pflag.FlagSet) {
	f.StringArrayVar(&o.Plain, "var", nil, "`NAME=VALUE` for a variable that is no secret (default: none; may be repeated)")
	f.StringArrayVar(&o.Env, "var-env", nil, "`NAME=VARIABLE` of the environment that holds the value (default: none; may be repeated)")
	f.StringVar(&o.File, "vars", "", "`FILE` with values as a JSON object, - is standard input; or a table of them, .csv or .jsonl (default: none)")
	f.StringVar(&o.Task, "task", "", "`ID` of a task that has values (default: none)")
}

// Given reports whether any of the flags was given.
func (o *Flags) Given() bool {
	return len(o.Plain)+len(o.Env) > 0 || o.File != "" || o.Task != ""
}

// IsTable reports whether the file of --vars has values for many runs.
func (o *Flags) IsTable() bool {
	switch strings.ToLower(filepath.Ext(o.File)) {
	case ".csv", ".jsonl", ".ndjson":
		return true
	}
	return false
}

// Reader reads values.
type Reader struct {
	Flags
	Terminal *terminal.Terminal // standard input, and where the user is asked for secrets
	Warn     func(error)
}

// One returns the values for one run, checked as far as possible without a browser.
func (r *Reader) One(ctx context.Context, plan *runner.Plan) (replayer.Map, error) {
	declared, err := plan.Document.Declared()
	if err != nil {
		return nil, err
	}
	values, err := r.object(declared)
	if err != nil {
		return nil, err
	}
	return values, r.complete(ctx, plan, declared, []replayer.Map{values})
}

// Rows returns the values of each row of the table, or one row where there is no table. All of
// them are checked.
func (r *Reader) Rows(ctx context.Context, plan *runner.Plan) ([]replayer.Map, error) {
	if !r.IsTable() {
		values, err := r.One(ctx, plan)
		return []replayer.Map{values}, err
	}
	declared, err := plan.Document.Declared()
	if err != nil {
		return nil, err
	}
	data, err := r.read()
	if err != nil {
		return nil, failure.Usagef("--vars: %v", err)
	}
	parse := r.parseLines
	if strings.EqualFold(filepath.Ext(r.File), ".csv") {
		parse = r.parseCSV
	}
	rows, err := parse(declared, data)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, failure.Usagef("--vars %s: there are no rows in it", r.File)
	}
	return rows, r.complete(ctx, plan, declared, rows)
}

// Queued returns the values that may be stored in the queue. Those of a task and of the vault
// are known to the worker alone, so that only the others are checked.
func (r *Reader) Queued(doc *automation.Automation) (worker.Values, error) {
	declared, err := doc.Declared()
	if err != nil {
		return nil, err
	}
	values, err := r.object(declared)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(r.setFromEnv(declared, values), r.setFromFlags(declared, values)); err != nil {
		return nil, err
	}
	for _, name := range declared.Secrets() {
		if _, given := values[name]; given {
			return nil, failure.Usagef("--queue: %s is a secret, and what is queued can be read by anyone who can read the database: let a task have it (`reprise task put`), or the vault", name)
		}
	}
	if r.Task != "" || slices.ContainsFunc(declared.Required(), declared.IsSecret) {
		return worker.Values(values), nil
	}
	if err := declared.CheckValues(values); err != nil {
		return nil, invalid(err)
	}
	return worker.Values(values), nil
}

// complete adds the values of the flags to each row, asks for secrets that are missing, and checks
// the rows.
func (r *Reader) complete(ctx context.Context, plan *runner.Plan, declared *automation.Variables, rows []replayer.Map) error {
	for _, values := range rows {
		if err := r.setFromEnv(declared, values); err != nil {
			return err
		}
		if err := r.setFromFlags(declared, values); err != nil {
			return err
		}
	}
	if err := r.askForSecrets(ctx, plan, declared, rows); err != nil {
		return err
	}
	for i, values := range rows {
		err := plan.With(values).Check(ctx)
		var wrong *replayer.Error
		if errors.As(err, &wrong) {
			err = invalid(r.inRow(i, wrong.Err))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// askForSecrets asks at a terminal for the required secrets that are missing, once for all rows.
func (r *Reader) askForSecrets(ctx context.Context, plan *runner.Plan, declared *automation.Variables, rows []replayer.Map) error {
	if r.File == "-" || !r.Terminal.Interactive() {
		return nil
	}
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
		text, err := r.Terminal.Secret(ctx, name+": ")
		if errors.Is(err, io.EOF) {
			return nil // the check reports what is missing
		}
		if err != nil {
			return err
		}
		for _, values := range lacking {
			if err := Set(declared, values, name, text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Reader) setFromFlags(declared *automation.Variables, values replayer.Map) error {
	return Each("--var", r.Plain, declared, func(name, value string) error {
		if declared.IsSecret(name) {
			return failure.Usagef("--var %s: this is a secret, and command lines are seen by other users and stored by shells: "+
				"use --var-env %s=VARIABLE or --vars FILE", name, name)
		}
		return Set(declared, values, name, value)
	})
}

func (r *Reader) setFromEnv(declared *automation.Variables, values replayer.Map) error {
	return Each("--var-env", r.Env, declared, func(name, variable string) error {
		value, set := os.LookupEnv(variable)
		if !set {
			return failure.Usagef("--var-env %s: there is no variable %s in the environment", name, variable)
		}
		return Set(declared, values, name, value)
	})
}

// object reads the file of --vars as a JSON object.
func (r *Reader) object(declared *automation.Variables) (replayer.Map, error) {
	values := replayer.Map{}
	if r.File == "" {
		return values, nil
	}
	data, err := r.read()
	if err != nil {
		return nil, failure.Usagef("--vars: %v", err)
	}
	if !decodeObject(data, &values) {
		return nil, failure.Usagef("--vars %s: this is not a JSON object with values", r.File) // its text may hold secrets
	}
	return values, markSecrets(declared, values)
}

// parseLines reads a JSON object a line. Errors do not quote a line, which may hold secrets.
func (r *Reader) parseLines(declared *automation.Variables, data []byte) ([]replayer.Map, error) {
	var rows []replayer.Map
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		values := replayer.Map{}
		if !decodeObject(line, &values) {
			return nil, failure.Usagef("--vars %s: row %d is not a JSON object with values", r.File, len(rows)+1)
		}
		if err := markSecrets(declared, values); err != nil {
			return nil, r.inRow(len(rows), err)
		}
		rows = append(rows, values)
	}
	return rows, nil
}

// byteOrderMark begins the tables of some programs.
const byteOrderMark = "\ufeff"

// parseCSV reads comma-separated values. The first row has the names; an empty cell is no value.
func (r *Reader) parseCSV(declared *automation.Variables, data []byte) ([]replayer.Map, error) {
	cells, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte(byteOrderMark)))).ReadAll()
	if err != nil {
		return nil, failure.Usagef("--vars %s: it is no table: %v", r.File, err)
	}
	if len(cells) == 0 {
		return nil, nil
	}
	names := cells[0]
	for i, name := range names {
		if !declared.Has(name) { // not quoted: without a row of names it is a value
			return nil, failure.Usagef("--vars %s: the first row must have the names of variables (%s), and column %d of it has none of them",
				r.File, strings.Join(declared.Names(), ", "), i+1)
		}
	}
	var rows []replayer.Map
	for i, row := range cells[1:] {
		values := replayer.Map{}
		for column, text := range row {
			if text == "" {
				continue
			}
			if err := Set(declared, values, names[column], text); err != nil {
				return nil, r.inRow(i, err)
			}
		}
		rows = append(rows, values)
	}
	return rows, nil
}

// readableByOthers are the permissions of other users to read a file.
const readableByOthers fs.FileMode = 0o044

func (r *Reader) read() ([]byte, error) {
	if info, err := os.Stat(r.File); r.File != "-" && err == nil && info.Mode().IsRegular() && info.Mode()&readableByOthers != 0 {
		r.Warn(fmt.Errorf("other users of this machine may read %s: chmod 600 it", r.File))
	}
	return files.Read(r.Terminal.In, r.File, files.MaxValues)
}

// inRow adds the number of the table's row to an error.
func (r *Reader) inRow(i int, err error) error {
	if !r.IsTable() {
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

// Each splits the NAME=TEXT pairs of a flag, for variables that are declared. Errors do not quote
// the text.
func Each(flag string, pairs []string, declared *automation.Variables, take func(name, text string) error) error {
	for _, pair := range pairs {
		name, text, found := strings.Cut(pair, "=")
		if !found || name == "" {
			return failure.Usagef("%s wants NAME=…, and one of them has no name or no =", flag)
		}
		if err := checkName(flag, name, declared); err != nil {
			return err
		}
		if err := take(name, text); err != nil {
			return err
		}
	}
	return nil
}

// Set parses a text as the type of a variable.
func Set(declared *automation.Variables, values replayer.Map, name, text string) error {
	value, err := declared.Coerce(name, text)
	if err != nil {
		return invalid(err)
	}
	values[name] = value
	return nil
}

func checkName(flag, name string, declared *automation.Variables) error {
	switch {
	case declared.Has(name):
		return nil
	case len(declared.Names()) == 0:
		return failure.Usagef("%s %.40s: the document has no variables", flag, name)
	}
	return failure.Usagef("%s %.40s: the document has no such variable, but %s", flag, name, strings.Join(declared.Names(), ", "))
}

// markSecrets checks the names of a file's values, and turns texts of secret variables into secrets.
func markSecrets(declared *automation.Variables, values replayer.Map) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := checkName("--vars", name, declared); err != nil {
			return err
		}
		if text, plain := values[name].(string); plain && declared.IsSecret(name) {
			if err := Set(declared, values, name, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// decodeObject reads a JSON object, whose numbers stay as they are written.
func decodeObject(data []byte, values *replayer.Map) bool {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(values) != nil || *values == nil {
		return false
	}
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}

// invalid is the error that the replayer returns for a value.
func invalid(err error) error {
	return &replayer.Error{Code: replayer.InvalidValue, Step: -1, Err: err,
		Reason: err.Error() + "\n(values come from --var, secrets from --var-env, --vars, --task or the vault)"}
}

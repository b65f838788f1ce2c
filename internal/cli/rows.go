package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
)

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

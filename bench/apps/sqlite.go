package main

import (
	"context"
	"encoding/json"
)

// rowsOf is a program for PHP, which prints the rows of a query as JSON.
const rowsOf = `$d = new PDO('sqlite:' . $argv[1]); $d->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
$d->exec('pragma busy_timeout = 5000');
echo json_encode(array_map(fn($r) => array_map('strval', $r), $d->query($argv[2])->fetchAll(PDO::FETCH_NUM)), JSON_THROW_ON_ERROR);`

// sqlite asks a database in a file, which an application may have open.
func (h *host) sqlite(ctx context.Context, file, query string) ([][]string, error) {
	out, err := h.run(ctx, nil, "php", "-r", rowsOf, file, query)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	return rows, json.Unmarshal([]byte(out), &rows)
}

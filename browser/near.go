package browser

import (
	"cmp"
	"io/fs"
	"os"
	"slices"
	"strings"
)

const (
	maxNear  = 5     // names that are listed
	maxFar   = 3     // letters of ten in which a name may differ
	maxTyped = 1_000 // bytes that are compared
)

// near returns the names that come closest to one that there is not: those that contain it,
// then those that differ in few letters.
func near(typed string, names []string) []string {
	typed = strings.ToLower(strings.ReplaceAll(typed[:min(len(typed), maxTyped)], "_", "-"))
	type candidate struct {
		name     string
		distance int
	}
	var all []candidate
	for _, name := range names {
		other := strings.ToLower(name)
		distance := edits(typed, strings.ReplaceAll(other, "_", "-"))
		if typed != "" && (strings.Contains(other, typed) || strings.Contains(other, strings.ReplaceAll(typed, "-", "_"))) {
			distance = 0
		}
		if 10*distance <= maxFar*max(len(typed), 4) {
			all = append(all, candidate{name, distance})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var found []string
	for _, c := range all[:min(len(all), maxNear)] {
		found = append(found, c.name)
	}
	return found
}

// edits is the number of bytes to insert, remove or replace that make one text of another.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// zoneDirs are where systems have the IANA database.
var zoneDirs = []string{"/usr/share/zoneinfo", "/var/db/timezone/zoneinfo"}

// timeZones returns the names of the time zones that this machine knows, none where it has no
// database.
func timeZones() []string {
	for _, dir := range zoneDirs {
		var names []string
		_ = fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return fs.SkipDir
			case d.IsDir() && (path == "posix" || path == "right"): // the same ones again
				return fs.SkipDir
			case !d.IsDir() && path[0] >= 'A' && path[0] <= 'Z' && !strings.Contains(path, "."):
				names = append(names, path)
			}
			return nil
		})
		if len(names) > 0 {
			return names
		}
	}
	return nil
}

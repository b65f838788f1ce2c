package render

import (
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/store"
)

// Pruned is what prune has removed, or would remove, as --json prints it.
type Pruned struct {
	DryRun  bool           `json:"dry_run,omitempty"`
	Removed []store.Pruned `json:"removed"`
	Size    int64          `json:"size"` // bytes
}

// Text is a table of it, and the sums.
func (p Pruned) Text(s Style) string {
	if len(p.Removed) == 0 {
		return "Nothing is old enough to be removed.\n"
	}
	rows := [][]string{{"KIND", "ID", "NAME", "ACCOUNT", "ENDED", "SIZE"}}
	counts := map[store.PrunedKind]int{}
	stay := 0
	for _, one := range p.Removed {
		rows = append(rows, []string{string(one.Kind), one.ID, one.Name, one.Account, When(one.Ended), Bytes(one.Size)})
		counts[one.Kind]++
		if one.Commits {
			stay++
		}
	}
	var parts []string
	for _, kind := range []store.PrunedKind{store.PrunedRun, store.PrunedTrace, store.PrunedApproval, store.PrunedHandoff} {
		if n := counts[kind]; n == 1 {
			parts = append(parts, "1 "+string(kind))
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%d %ss", n, kind))
		}
	}
	text := fmt.Sprintf("%s removed: %s, %s\n", s.Green("✓"), strings.Join(parts, ", "), Bytes(p.Size))
	if p.DryRun {
		text = fmt.Sprintf("would remove: %s, %s\n", strings.Join(parts, ", "), Bytes(p.Size))
	}
	if stay > 0 {
		text += fmt.Sprintf("The notes of commit steps of %d of these runs stay: they could be resumed.\n", stay)
	}
	return Table(rows) + text
}

// Bytes is a size for people.
func Bytes(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	size, units := float64(n)/unit, "KMGTPE"
	for ; size >= unit && len(units) > 1; units = units[1:] {
		size /= unit
	}
	return fmt.Sprintf("%.1f %ciB", size, units[0])
}

package automation

import (
	"errors"
	"strings"

	"github.com/gobwas/glob"
)

// parts is the pattern of a host or a path, part by part between its
// separators. Compiling the whole at once would be shorter, but matching "**"
// and "*" together backtracks: two of each and a URL of two kilobytes, which a
// page chooses, take seconds. Within a part there is nothing to backtrack over,
// and between parts only the last "**" needs to be tried again.
type parts struct {
	list      []part
	separator string
}

// part is one label of a host or one segment of a path.
type part struct {
	literal string
	pattern *glob.Pattern // with wildcards in it; nil for a literal
	any     bool          // "*"
	deep    bool          // any number of parts, also none
}

// compileParts takes the text of a pattern apart. In a host "**" is at least
// one part; in a path, where that is asked for, it can be none.
func compileParts(text, separator string, orNone bool) (parts, error) {
	p := parts{separator: separator}
	for piece := range strings.SplitSeq(text, separator) {
		switch {
		case piece == "**" && !orNone:
			p.list = append(p.list, part{any: true}, part{deep: true})
		case piece == "**":
			p.list = append(p.list, part{deep: true})
		case strings.Contains(piece, "**"):
			return parts{}, errors.New("** must be a whole part, with nothing beside it")
		case piece == "*":
			p.list = append(p.list, part{any: true})
		case strings.ContainsAny(piece, "*?"):
			pattern, err := glob.Compile(piece)
			if err != nil {
				return parts{}, err
			}
			p.list = append(p.list, part{pattern: pattern})
		default:
			p.list = append(p.list, part{literal: piece})
		}
	}
	return p, nil
}

func (p part) match(s string) bool {
	switch {
	case p.any:
		return true
	case p.pattern != nil:
		return p.pattern.Match(s)
	}
	return p.literal == s
}

// match is the usual greedy walk: when it gets stuck, the last "**" takes one
// part more.
func (p parts) match(s string) bool {
	var few [32]string
	pieces := few[:0]
	for piece := range strings.SplitSeq(s, p.separator) {
		pieces = append(pieces, piece)
	}
	i, j, deep, taken := 0, 0, -1, 0
	for j < len(pieces) {
		switch {
		case i < len(p.list) && p.list[i].deep:
			deep, taken = i, j
			i++
		case i < len(p.list) && p.list[i].match(pieces[j]):
			i++
			j++
		case deep >= 0:
			taken++
			i, j = deep+1, taken
		default:
			return false
		}
	}
	for i < len(p.list) && p.list[i].deep {
		i++
	}
	return i == len(p.list)
}

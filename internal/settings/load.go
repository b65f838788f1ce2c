package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/go-reprise/reprise/agent/autonomy"
)

// FileEnv names the environment variable that names the settings file.
const FileEnv = "REPRISE_CONFIG"

// MaxSize bounds a settings file, in bytes: far more than a person writes.
const MaxSize = 1 << 20

// Options say where settings come from. The zero value, or nil, is the user's own.
type Options struct {
	// File is the settings file. It must exist. Default: the one that $REPRISE_CONFIG names,
	// else DefaultFile, if it exists.
	File string
	// Flags are the settings that the command line sets, in their order. Default: none.
	Flags []Flag
	// Env looks up a variable of the environment. An empty one sets nothing. Default:
	// os.Getenv.
	Env func(name string) string
}

// Flag is a setting that a flag of the command line sets.
type Flag struct {
	Path string // of the setting, as in "handoff.timeout"
	Name string // of the flag, as in "--timeout"
	Text string // its value
}

// Origin is where a value comes from.
type Origin struct {
	Source Source `json:"source"`
	// Name is that of the flag or of the variable of the environment, "" for other sources.
	Name string `json:"name,omitempty"`
	// Line is where the value stands in the file, 0 for other sources.
	Line int `json:"line,omitempty"`
}

// Source is a kind of place that settings come from.
type Source string

// The sources, from the one that counts most.
const (
	FromFlag    Source = "flag"
	FromEnv     Source = "environment"
	FromFile    Source = "file"
	FromDefault Source = "default"
)

// Problem is what is wrong with one setting.
type Problem struct {
	Path   string // of the setting; "" where the whole file is at fault
	Origin Origin // where the value comes from
	Column int    // in the file, from 1; 0 where the value is not from the file
	Reason string
}

// Error is settings that cannot be used.
type Error struct {
	File     string // "" where there is none
	Problems []Problem
}

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.place(p) + strings.TrimPrefix(p.Path+": ", ": ") + p.Reason
	}
	return strings.Join(lines, "\n")
}

// place is what a message about a problem begins with.
func (e *Error) place(p Problem) string {
	switch {
	case p.Origin.Source == FromEnv:
		return "$" + p.Origin.Name + ": "
	case p.Origin.Source == FromFlag:
		return p.Origin.Name + ": "
	case p.Origin.Line > 0:
		return fmt.Sprintf("%s:%d:%d: ", e.File, p.Origin.Line, p.Column)
	case e.File != "":
		return e.File + ": "
	}
	return ""
}

// DefaultFile returns reprise/config.yaml in the user's configuration directory. The error is
// that of os.UserConfigDir.
func DefaultFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "reprise", "config.yaml"), nil
}

// Env returns the name of the environment variable that sets a setting: REPRISE_ and its
// path, as in REPRISE_HANDOFF_TIMEOUT.
func Env(path string) string {
	if path == "browser.provider" {
		return "REPRISE_BROWSER" // as the flag --browser
	}
	return "REPRISE_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// Load reads the settings. What is wrong with them is an *Error, which has all problems.
func Load(o *Options) (*Settings, error) {
	if o == nil {
		o = &Options{}
	}
	env := o.Env
	if env == nil {
		env = os.Getenv
	}
	s := Default()
	file, data, err := readFile(o.File, env)
	if err != nil {
		return nil, &Error{File: file, Problems: []Problem{{Origin: Origin{Source: FromFile}, Reason: err.Error()}}}
	}
	s.File = file
	l := &loader{settings: s, leaves: s.leaves()}
	if file != "" {
		l.parse(data)
	}
	l.environment(env)
	l.flags(o.Flags)
	if len(l.problems) == 0 {
		l.together()
	}
	if len(l.problems) > 0 {
		return nil, &Error{File: file, Problems: l.problems}
	}
	return s, nil
}

// readFile returns the file and what is in it; "" where there is none.
func readFile(named string, env func(string) string) (file string, data []byte, err error) {
	file = named
	if file == "" {
		file = env(FileEnv)
	}
	optional := file == ""
	if optional {
		if file, err = DefaultFile(); err != nil {
			return "", nil, nil // a user without a home has no settings
		}
	}
	f, err := os.Open(file)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err != nil {
		return file, nil, reasonOf(err)
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil:
		return file, nil, reasonOf(err)
	case len(data) > MaxSize:
		return file, nil, fmt.Errorf("is larger than %d bytes", MaxSize)
	}
	return file, data, nil
}

// reasonOf leaves the name of the file out, which the message begins with.
func reasonOf(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// loader sets settings, and collects what is wrong with them.
type loader struct {
	settings *Settings
	leaves   []leaf
	problems []Problem
	columns  map[string]int // of what the file sets
}

func (l *loader) leaf(path string) *leaf {
	i := slices.IndexFunc(l.leaves, func(f leaf) bool { return f.path == path })
	if i < 0 {
		return nil
	}
	return &l.leaves[i]
}

func (l *loader) fail(p Problem) { l.problems = append(l.problems, p) }

// failAt notes what is wrong at a place in the file.
func (l *loader) failAt(path string, n *yaml.Node, reason string) {
	l.fail(Problem{Path: path, Origin: Origin{Source: FromFile, Line: n.Line}, Column: n.Column, Reason: reason})
}

func (l *loader) parse(data []byte) {
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return // nothing but comments
	}
	if err == nil {
		if err = d.Decode(new(yaml.Node)); errors.Is(err, io.EOF) {
			err = nil
		} else if err == nil {
			err = errors.New("a second document follows the first")
		}
	}
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "yaml: ")
		l.fail(Problem{Origin: Origin{Source: FromFile}, Reason: "is not YAML: " + reason})
		return
	}
	l.columns = map[string]int{}
	l.mapping("", doc.Content[0])
}

// guardSection is read by the package of the guard.
const guardSection = "human_in_loop"

// mapping reads the keys of a mapping. No value at all is an empty one.
func (l *loader) mapping(path string, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		l.failAt(path, n, "is not a mapping of keys to values")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := strings.TrimPrefix(path+"."+key.Value, ".")
		leaf := l.leaf(at)
		switch {
		case seen[key.Value]:
			l.failAt(at, key, "is set twice")
		case value.Kind == yaml.AliasNode:
			l.failAt(at, value, "is an alias: write the value out")
		case at == guardSection:
			l.guard(value)
		case leaf != nil:
			l.setNode(leaf, value)
		case l.isSection(at):
			l.mapping(at, value)
		default:
			l.failAt(at, key, l.unknown(path, key.Value))
		}
		seen[key.Value] = true
	}
}

func (l *loader) isSection(path string) bool {
	return slices.ContainsFunc(l.leaves, func(f leaf) bool { return strings.HasPrefix(f.path, path+".") })
}

// unknown is the reason to refuse a key.
func (l *loader) unknown(section, key string) string {
	for _, word := range []string{"token", "password", "secret", "key"} {
		if strings.Contains(strings.ToLower(key), word) {
			return errSecret.Error()
		}
	}
	var known []string
	for _, f := range append(slices.Clone(l.leaves), leaf{path: guardSection}) {
		rest, inside := strings.CutPrefix("."+f.path, strings.TrimSuffix("."+section, ".")+".")
		if name, _, _ := strings.Cut(rest, "."); inside && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	return "unknown key; there are " + strings.Join(known, ", ")
}

func (l *loader) setNode(f *leaf, n *yaml.Node) {
	nodes := []*yaml.Node{n}
	if f.list {
		if n.Kind != yaml.SequenceNode {
			l.failAt(f.path, n, "is not a list")
			return
		}
		nodes = n.Content
		f.zero()
	}
	for i, item := range nodes {
		path := f.path
		if f.list {
			path = fmt.Sprintf("%s[%d]", path, i)
		}
		err := f.setNode(item)
		if check := inFile[f.path]; err == nil && check != nil {
			err = check(item.Value)
		}
		if err != nil {
			l.failAt(path, item, err.Error())
		}
	}
	l.settings.origins[f.path] = Origin{Source: FromFile, Line: n.Line}
	l.columns[f.path] = n.Column
}

// guard has the guard's own package read its section.
func (l *loader) guard(n *yaml.Node) {
	section, err := yaml.Marshal(map[string]*yaml.Node{guardSection: n})
	var read *autonomy.Settings
	if err == nil {
		read, err = autonomy.ParseSettings(section)
	}
	var wrong *autonomy.SettingsError
	switch {
	case errors.As(err, &wrong):
		reason, _, _ := strings.Cut(wrong.Reason, ", line ") // a line of the section
		l.failAt(wrong.Path, nodeAt(n, strings.TrimPrefix(wrong.Path, guardSection)), reason)
	case err != nil:
		l.failAt(guardSection, n, err.Error())
	default:
		l.settings.HumanInLoop = *read
		l.noteGuard(guardSection, n)
	}
}

// noteGuard notes where the settings of the guard stand.
func (l *loader) noteGuard(path string, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		l.settings.origins[path] = Origin{Source: FromFile, Line: n.Line}
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		l.noteGuard(path+"."+n.Content[i].Value, n.Content[i+1])
	}
}

// nodeAt returns the node at a path below another, as in ".detection.patterns.ask[1]", or the
// nearest above it.
func nodeAt(n *yaml.Node, path string) *yaml.Node {
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		next := n
		for i, c := range n.Content {
			isKey := n.Kind == yaml.MappingNode && i%2 == 0 && c.Value == name
			if isKey {
				next = n.Content[i+1]
			}
			if n.Kind == yaml.SequenceNode && fmt.Sprint(i) == name {
				next = c
			}
		}
		n = next
	}
	return n
}

// environment sets what variables say. Those of a list have an item a line.
func (l *loader) environment(env func(string) string) {
	for i := range l.leaves {
		f := &l.leaves[i]
		text := env(Env(f.path))
		if text == "" {
			continue
		}
		items := []string{text}
		if f.list {
			items = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			f.zero()
		}
		origin := Origin{Source: FromEnv, Name: Env(f.path)}
		for _, item := range items {
			if err := f.set(item); err != nil {
				l.fail(Problem{Path: f.path, Origin: origin, Reason: err.Error()})
			}
		}
		l.settings.origins[f.path] = origin
	}
}

// flags sets what the command line says. The first flag of a list replaces what there was,
// and the next ones add to it.
func (l *loader) flags(given []Flag) {
	begun := map[string]bool{}
	for _, g := range given {
		origin := Origin{Source: FromFlag, Name: g.Name}
		f := l.leaf(g.Path)
		if f == nil {
			l.fail(Problem{Path: g.Path, Origin: origin, Reason: "unknown setting"})
			continue
		}
		if f.list && !begun[g.Path] {
			f.zero()
		}
		begun[g.Path] = true
		err := f.set(g.Text)
		if check := onCommandLine[f.path]; err == nil && check != nil {
			err = check(g.Text)
		}
		if err != nil {
			l.fail(Problem{Path: f.path, Origin: origin, Reason: err.Error()})
		}
		l.settings.origins[f.path] = origin
	}
}

func (l *loader) together() {
	for _, p := range l.settings.checkTogether() {
		p.Origin, p.Column = l.settings.Origin(p.Path), l.columns[p.Path]
		if p.Origin.Source != FromFile {
			p.Column = 0
		}
		l.fail(p)
	}
}

// Origin returns where the value of a setting comes from.
func (s *Settings) Origin(path string) Origin {
	if o, set := s.origins[path]; set {
		return o
	}
	return Origin{Source: FromDefault}
}

// Shown is a setting as it is printed: an address without what may be secret in it.
type Shown struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
	Origin
}

// List returns all settings, for printing.
func (s *Settings) List() []Shown {
	var all []Shown
	show := func(path string, value any) { all = append(all, Shown{path, value, s.Origin(path)}) }
	for _, f := range s.leaves() {
		show(f.path, f.show())
	}
	g := s.HumanInLoop
	show(guardSection+".mode", cmp.Or(g.Mode, autonomy.Log))
	show(guardSection+".detection.threshold", cmp.Or(g.Detection.Threshold, autonomy.DefaultThreshold))
	for _, class := range slices.Sorted(maps.Keys(g.Detection.Patterns)) {
		show(guardSection+".detection.patterns."+class, g.Detection.Patterns[class])
	}
	show(guardSection+".prevention.no_system_prompt", g.Prevention.NoSystemPrompt)
	show(guardSection+".prevention.reminder_frequency", cmp.Or(g.Prevention.ReminderFrequency, autonomy.DefaultReminderFrequency))
	show(guardSection+".prevention.keep_messages", g.Prevention.KeepMessages)
	show(guardSection+".recovery.max_attempts", cmp.Or(g.Recovery.MaxAttempts, autonomy.DefaultMaxAttempts))
	return all
}

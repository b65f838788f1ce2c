package replayer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/commit"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/target"
)

func typeInput(ctx context.Context, c *call) (outcome, error) {
	out, err := c.putIn(ctx)
	if !isCode(err, closed) {
		return out, err
	}
	c.run.opener = 0 // a page that insists has its way
	if err := c.part(ctx, c.run.automation.Steps[c.index-1]); err != nil {
		return outcome{}, err
	}
	return c.putIn(ctx)
}

func (c *call) putIn(ctx context.Context) (outcome, error) {
	c.run.typedIn = c.page
	if err := c.awaitDrawn(ctx); err != nil {
		return outcome{}, err
	}
	v, err := c.run.value(c.step.Value)
	if err != nil {
		return outcome{}, err
	}
	req := requestFor(c.step, "type")
	var args struct{ At string }
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	req.At = args.At
	if secret, ok := v.(automation.Secret); ok {
		return c.typeSecret(ctx, req, secret)
	}
	if req.Value, err = text(v); err != nil {
		return outcome{}, &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
	}
	c.run.noteInput(req.Value)
	if c.run.hand != nil && !c.dry {
		return c.typeByHand(ctx, req, req.Value, false)
	}
	// A page that takes Enter may begin the next line itself, with an indent or the mark of a list,
	// which the text has already.
	if c.step.Keys && !strings.Contains(strings.TrimRight(req.Value, "\n"), "\n") {
		return c.typeKeys(ctx, req)
	}
	return c.insert(ctx, req)
}

// awaitDrawn waits until the page has drawn what the press before was for, where it did not do so at once, or led to another
// address of the same document: what is used next would be found in a view that looks like the one which is still to come.
func (c *call) awaitDrawn(ctx context.Context) error {
	if c.run.isSession || c.isPart || c.index == 0 {
		return nil
	}
	before := c.run.automation.Steps[c.index-1]
	if before.Page != c.step.Page || before.Tool != "waitForNav" && !drops(before) && (before.Tool != "click" || before.Fingerprint == nil) {
		return nil
	}
	atOnce := slices.ContainsFunc(before.Expect, func(e automation.Expectation) bool { return e.Kind != "request" })
	f, err := c.frame(ctx)
	if err != nil {
		return err
	}
	if err := f.Call(ctx, nil, "drawn", atOnce); err != nil && !target.IsLeft(err) {
		return err
	}
	return nil
}

// drops reports whether a step lets go of something, which a page often takes a moment to put in its place: what is pressed
// next would come before that.
func drops(step automation.Step) bool { return step.Tool == "drag" || step.Tool == "upload" }

func (c *call) followsDrop() bool {
	return !c.run.isSession && c.index > 0 && drops(c.run.automation.Steps[c.index-1])
}

// typeSecret passes the origins to the page script as well: it types in the same
// task in which it has checked that its document is of one of them.
func (c *call) typeSecret(ctx context.Context, req request, secret automation.Secret) (outcome, error) {
	f, err := c.frame(ctx)
	if err != nil {
		return outcome{}, err
	}
	if err := f.Settled(ctx); err != nil { // it has an address then
		return outcome{}, err
	}
	if err := c.run.inScope(f.Address()); err != nil {
		return outcome{}, err
	}
	own := origin(f.Address())
	if !c.run.scope.mayHave(secret, f.Address()) {
		only := secret.Origins()
		if len(only) == 0 {
			only = c.run.scope.sites.URLs
		}
		return outcome{}, &Error{Code: OutOfScope, Reason: fmt.Sprintf("the secret for this field may not be typed on %s, only on %v", own, only)}
	}
	req.Secret, req.Origins = true, []string{own}
	if req.TypedInto, err = c.receivers(ctx, f.Address()); err != nil {
		return outcome{}, err
	}
	c.page.Tree().NoteSecret(own)
	if c.run.isSession {
		if err := c.run.secrets.confine(ctx, c.page); err != nil {
			return outcome{}, err
		}
	}
	if c.run.hand != nil && !c.dry {
		return c.typeByHand(ctx, req, secret.Reveal(), true)
	}
	req.Value = secret.Reveal()
	return c.inPlace(ctx, req)
}

// inPlace has the page script do all of a step.
func (c *call) inPlace(ctx context.Context, req request) (outcome, error) {
	if c.dry {
		req.Use = "see"
	}
	at, err := c.ready(ctx, req)
	out := on(at, err)
	out.stop = c.dry
	return out, err
}

// insert puts a text into a field. A rich editor is only made ready by the page
// script, and gets the text as input.
func (c *call) insert(ctx context.Context, req request) (outcome, error) {
	if c.dry {
		return c.inPlace(ctx, req)
	}
	at, err := c.readyToType(ctx, req)
	out := on(at, err)
	switch {
	case err != nil || at.Done:
		return out, err
	case at.Slides:
		return out, c.slide(ctx, at, req.Value)
	case req.Value == "":
		return out, c.clear(ctx, at)
	case at.Keys:
		return out, c.pressKeys(ctx, at, req.Value)
	}
	if err := at.enter(ctx); err != nil {
		return out, err
	}
	_, err = c.page.Send("Input.insertText", map[string]string{"text": req.Value}).Wait(ctx)
	return out, err
}

// readyToType is ready for what is typed into. An empty editor that was not in use is pressed first: some know by a press in
// them alone where they are.
func (c *call) readyToType(ctx context.Context, req request) (found, error) {
	at, err := c.ready(ctx, req)
	if err != nil || !at.Entered || !at.Empty || req.At == "caret" {
		return at, err
	}
	if _, err := c.pressOn(ctx, requestFor(c.step, "click"), input.Button{}); err != nil {
		return at, err
	}
	return c.ready(ctx, req)
}

// clear removes what a field holds; it is selected.
func (c *call) clear(ctx context.Context, at found) error {
	if at.Empty {
		return nil
	}
	return input.PressKey(ctx, c.page, "Backspace", nil)
}

// typeKeys types a text key by key, as the page listens to them.
func (c *call) typeKeys(ctx context.Context, req request) (outcome, error) {
	text := req.Value
	req.Use, req.Value = "keys", ""
	if c.dry {
		return c.inPlace(ctx, req)
	}
	at, err := c.readyToType(ctx, req)
	out := on(at, err)
	if err != nil {
		return out, err
	}
	if at.Slides {
		return out, c.slide(ctx, at, text)
	}
	if text == "" {
		return out, c.clear(ctx, at)
	}
	return out, c.pressKeys(ctx, at, text)
}

// slide moves a slider that the page draws to a value, by the keys that move any: https://www.w3.org/WAI/ARIA/apg/patterns/slider/
func (c *call) slide(ctx context.Context, at found, value string) error {
	want, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return &Error{Code: InvalidValue, Reason: fmt.Sprintf("a slider takes a number, and not %q", c.run.secrets.redact(value)), Err: err}
	}
	press := input.PressKey
	if c.run.hand != nil {
		press = c.run.hand.PressKey
	}
	slid := func(before, wanted *float64) (now float64, err error) {
		var says *float64
		if err := at.frame.CallAt(ctx, at.mark, &says, "slid", before, wanted); err != nil {
			return 0, err
		}
		if says == nil {
			return 0, &Error{Code: NotFound, Reason: "the slider has gone while keys moved it"}
		}
		return *says, nil
	}
	now, err := slid(nil, nil)
	keys := [2]string{"ArrowRight", "ArrowLeft"}
	for step := 0.0; err == nil && !isAt(now, want); {
		key, sign := keys[0], 1.0
		if want < now {
			key, sign = keys[1], -1
		}
		count, before := 1.0, now
		var expected *float64 // the first key tells how far one goes
		if step > 0 {
			count = min(max(1, math.Round(math.Abs(want-now)/step)), maxSlides)
			expected = new(now + sign*count*step)
		}
		for range int(count) {
			if err := press(ctx, c.page, key, nil); err != nil {
				return err
			}
		}
		if now, err = slid(&before, expected); err != nil {
			return err
		}
		step = math.Abs(now-before) / count
		switch closer := math.Abs(want-now) < math.Abs(want-before); {
		case step == 0 && keys[0] == "ArrowUp":
			return &Error{Code: NotActionable, Reason: fmt.Sprintf("the slider is at %v, and does not follow the keys to %v", now, want)}
		case step == 0:
			keys = [2]string{"ArrowUp", "ArrowDown"} // of one that stands upright, some know these alone
		case !closer:
			return &Error{Code: InvalidValue, Reason: fmt.Sprintf("the slider goes from %v to %v, and does not take %v", before, now, want)}
		}
	}
	return err
}

// isAt reports whether a slider is where it should be: some say 0.30000000000000004.
func isAt(now, want float64) bool { return math.Abs(now-want) < 1e-6 }

// maxSlides is how many keys move a slider before it is looked at again.
const maxSlides = 200

// pressKeys types a text into a field that is ready for it.
func (c *call) pressKeys(ctx context.Context, at found, text string) error {
	if err := at.enter(ctx); err != nil {
		return err
	}
	for _, char := range text {
		if keyOf(char) == "Enter" {
			if err := c.maySend(ctx, at); err != nil {
				return err
			}
		}
		if err := input.PressKey(ctx, c.page, keyOf(char), nil); err != nil {
			return err
		}
	}
	return at.tell(ctx, "keysPressed", text)
}

// enter lets an editor hear of its caret, which it does with the next frame: keys that come first go nowhere in some, or
// act on what was selected before.
func (at found) enter(ctx context.Context) error {
	if !at.Entered {
		return nil
	}
	return at.tell(ctx, "breathe")
}

// tell calls a function of the page script in the document of what was found, if that is still there.
func (at found) tell(ctx context.Context, function string, args ...any) error {
	if err := at.frame.CallAt(ctx, at.mark, nil, function, args...); err != nil && !target.IsLeft(err) {
		return err
	}
	return nil
}

// keyOf is the key that writes a character.
func keyOf(char rune) string {
	switch char {
	case '\n', '\r':
		return "Enter"
	case '\t':
		return "Tab"
	}
	return string(char)
}

// maySend is mayCommit for Enter within a text, which sends a form in a field of one line.
func (c *call) maySend(ctx context.Context, at found) error {
	evidence, _, err := c.usedByKey(ctx, "Enter")
	if err != nil {
		return err
	}
	return c.mayCommit(ctx, at.frame, evidence)
}

func keypress(ctx context.Context, c *call) (outcome, error) {
	k, err := automation.ParseKey(c.step.Key)
	if err != nil {
		return outcome{}, &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	send := input.PressKey
	if c.run.hand != nil {
		send = c.run.hand.PressKey
	}
	follows := c.follows()
	for {
		out, at, err := c.focused(ctx, k)
		if err != nil && follows != nil && follows.presses > 0 && c.expired() {
			return out, follows.failure(c, err)
		}
		if err != nil {
			return out, err
		}
		if err := c.mayPressKey(ctx, k); err != nil {
			return out, err
		}
		if utf8.RuneCountInString(k.Name) == 1 {
			c.run.noteInput(k.Name)
		}
		if c.dry {
			out.stop = true
			return out, nil
		}
		if err := c.mayCommit(ctx, at.frame, at.Evidence); err != nil {
			return out, err
		}
		if follows != nil {
			follows.begin(c, at.frame)
			if err := at.frame.Call(ctx, nil, "watchKey"); err != nil && !target.IsLeft(err) {
				return out, err
			}
		}
		if err = send(ctx, c.page, k.Name, k.Modifiers); errors.Is(c.page.Err(), target.ErrClosed) {
			return out, nil // the key has closed the tab
		}
		if err == nil {
			err = at.enter(ctx) // it deals with a key in a frame, too
		}
		if err != nil || follows == nil {
			return out, err
		}
		if took, err := follows.took(ctx, c); took || err != nil {
			return out, err
		}
	}
}

// focused is where a key goes, and the evidence of the control that it uses.
func (c *call) focused(ctx context.Context, k automation.Key) (outcome, found, error) {
	if len(c.step.Selector) > 0 {
		req := requestFor(c.step, "focus")
		req.Key = k.Name
		at, err := c.readyToPress(ctx, req)
		if err != nil {
			return outcome{}, at, err
		}
		return on(at, nil), at, at.enter(ctx)
	}
	evidence, f, err := c.usedByKey(ctx, k.Name)
	if err == nil {
		err = c.run.inScope(f.Address())
	}
	return outcome{}, found{frame: f, reply: reply{Evidence: evidence}}, err
}

// usedByKey asks the frame that has the focus, which is the page's own where none reports it.
func (c *call) usedByKey(ctx context.Context, key string) (e commit.Evidence, f *target.Frame, err error) {
	for _, f := range c.page.Frames() {
		var on struct {
			Evidence commit.Evidence `json:"evidence"`
			Within   bool            `json:"within"`
			Focused  bool            `json:"focused"`
		}
		err := f.Call(ctx, &on, "keyed", key)
		if target.IsLeft(err) || err == nil && (on.Within || !on.Focused) {
			continue // it goes to the next document, or to a frame within
		}
		return on.Evidence, f, err
	}
	return e, c.page.Main(), nil
}

func selectOptions(ctx context.Context, c *call) (outcome, error) {
	v, err := c.run.value(c.step.Value)
	if err != nil {
		return outcome{}, err
	}
	req := requestFor(c.step, "select")
	if req.Values, err = list(v); err != nil {
		return outcome{}, &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
	}
	return c.inPlace(ctx, req)
}

// fillForm fills several fields, as several steps would.
func fillForm(ctx context.Context, c *call) (outcome, error) {
	var args struct{ Fields []json.RawMessage }
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	for i, raw := range args.Fields {
		field, err := automation.ParseField(raw)
		if err != nil {
			return outcome{}, &Error{Code: Refused, Reason: fmt.Sprintf("args.fields[%d]: %v", i, err), Err: err}
		}
		if len(field.Frame) == 0 {
			field.Frame, field.FrameAlternatives = c.step.Frame, c.step.FrameAlternatives
		}
		if err := c.fill(ctx, field); err != nil {
			return outcome{}, inField(err, i)
		}
	}
	return outcome{}, nil
}

// fill uses the tool that fits the field: it is asked what it is.
func (c *call) fill(ctx context.Context, field automation.Step) error {
	looking := *c
	looking.step = field
	req := requestFor(field, "kind")
	at, err := looking.ready(ctx, req)
	if err != nil {
		return err
	}
	field.Tool, _ = at.Said.(string)
	field.Page = c.step.Page
	return c.part(ctx, field)
}

func inField(err error, i int) error {
	var e *Error
	if errors.As(err, &e) {
		in := *e
		in.Reason = fmt.Sprintf("field %d: %s", i+1, e.Reason)
		return &in
	}
	return err
}

// upload puts files into a field for them, or drops them on an element.
func upload(ctx context.Context, c *call) (outcome, error) {
	paths, err := c.run.files(c.step)
	if err != nil {
		return outcome{}, err
	}
	req := requestFor(c.step, "upload")
	req.Values = make([]string, len(paths)) // how many; where they are is not for the page
	if c.dry {
		return c.inPlace(ctx, req)
	}
	at, err := c.ready(ctx, req)
	out := on(at, err)
	if err != nil {
		return out, err
	}
	if at.Ref > 0 {
		return out, at.frame.SetFiles(ctx, at.mark, paths, "elementOf", at.Ref)
	}
	x, y, err := c.inPage(ctx, at)
	if err != nil {
		return out, err
	}
	return out, input.DropFiles(ctx, c.page, x, y, paths)
}

// checkFiles looks for the files of all steps, before anything is done.
func (r *run) checkFiles() error {
	for _, step := range r.automation.Steps {
		if step.Tool != "upload" || step.Value.Kind == automation.Variable && r.secrets.values[step.Value.Name] == nil {
			continue
		}
		if _, err := r.files(step); err != nil {
			return err
		}
	}
	return nil
}

// files are the paths of the files that a step names.
func (r *run) files(step automation.Step) ([]string, error) {
	v, err := r.value(step.Value)
	if err != nil {
		return nil, err
	}
	named, err := list(v)
	if err != nil {
		return nil, invalid(fmt.Errorf("upload: %w", err))
	}
	if step.Value.Kind != automation.Variable && len(r.options.UploadFrom) == 0 {
		return nil, &Error{Code: Refused, Reason: "the document names a file itself, and no folder was allowed for that: make it a variable, or allow its folder (UploadFrom)"}
	}
	paths := make([]string, len(named))
	for i, name := range named {
		if paths[i], err = r.file(name); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// file is the whole path of a file that is there, and may be read.
func (r *run) file(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", invalid(fmt.Errorf("upload: %w", err))
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", invalid(fmt.Errorf("upload: looking for the file: %w", err))
	}
	if !info.Mode().IsRegular() {
		return "", invalid(fmt.Errorf("upload: %s is not a file", path))
	}
	if len(r.options.UploadFrom) > 0 && !slices.ContainsFunc(r.options.UploadFrom, func(folder string) bool { return lies(path, folder) }) {
		return "", &Error{Code: Refused, Reason: fmt.Sprintf("%s is in none of the folders that files may be uploaded from: %s", path, strings.Join(r.options.UploadFrom, ", "))}
	}
	return path, nil
}

// lies reports whether a file is in a folder, wherever links lead.
func lies(path, folder string) bool {
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return false
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return false
	}
	relative, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(relative)
}

// interceptChoosers has the browser not open its window for choosing files while an
// automation that uploads is played: there is no user to answer it.
func (r *run) interceptChoosers(on bool) {
	uploads := func(s automation.Step) bool { return s.Tool == "upload" }
	if slices.ContainsFunc(r.automation.Steps, uploads) {
		r.tabs.first.Send("Page.setInterceptFileChooserDialog", map[string]any{"enabled": on})
	}
}

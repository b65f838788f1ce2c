package replayer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/input"
)

// upload gives files to a field for them, or drops them on an element.
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
		if step.Tool != "upload" || step.Value.Kind == automation.Variable && r.values[step.Value.Name] == nil {
			continue
		}
		if _, err := r.files(step); err != nil {
			return err
		}
	}
	return nil
}

// files are the paths of the files that a step gives.
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

// interceptChoosers keeps the browser's window for choosing files closed while an
// automation that uploads is played: nobody is there who could answer it.
func (r *run) interceptChoosers(on bool) {
	uploads := func(s automation.Step) bool { return s.Tool == "upload" }
	if slices.ContainsFunc(r.automation.Steps, uploads) {
		r.page.Send("Page.setInterceptFileChooserDialog", map[string]any{"enabled": on})
	}
}

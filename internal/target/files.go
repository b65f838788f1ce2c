package target

import "context"

// SetFiles gives files to a field for them, as a person's choice does: the field that
// a function of the page script gives, in the document that was there at the mark.
func (f *Frame) SetFiles(ctx context.Context, m Mark, paths []string, function string, args ...any) error {
	w, err := f.enterAt(ctx, &m)
	if err != nil {
		return err
	}
	el, err := f.element(ctx, w, function, args)
	if err != nil {
		return f.explain(w, err)
	}
	return f.explain(w, f.page.tree.ask(ctx, w.session, "DOM.setFileInputFiles", map[string]any{"files": paths, "objectId": el.object}, nil))
}

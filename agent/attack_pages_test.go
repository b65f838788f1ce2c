package agent_test

import "fmt"

// page is one of the site that a password is for. It has a field #f for the password,
// notes #g, and #out, where it shows what it has to show.
type page struct {
	field  string // #f; an input of type password where it is ""
	body   string // what else is on it, after #out
	script string // show(v) is called with what #f holds, after each input
	reads  []read // where an agent reads, next to #f, #g and #out
	drawn  bool   // it may be seen in pictures
}

// read is what an agent extracts.
type read struct {
	target    any
	attribute string
	frame     string
	all       bool
}

// html is the page as it is served. All is in a font of one width and no caret blinks, so
// that pictures of two passwords of one shape differ by the passwords alone.
func (p *page) html() string {
	field := p.field
	if field == "" {
		field = `<input id=f name=f type=password>`
	}
	return fmt.Sprintf(pageFrame, field, p.body, p.script)
}

const pageStyle = `<style>
* { caret-color: transparent !important; font: 16px/20px monospace; scroll-behavior: auto !important }
body { margin: 10px } :focus { outline: none } #f, #g { width: 400px } #out { white-space: pre; min-height: 20px }
</style>`

const pageFrame = `<!doctype html><html lang=en><meta charset=utf-8><title>Account</title>` + pageStyle + `
<h2>Account</h2>
<form id=form action=/said><p><label for=f>Your password</label> %[1]s</p><p><button id=send>Log in</button></p></form>
<p><label for=g>Notes</label> <textarea id=g></textarea></p>
<div id=out>Nothing yet</div>
%[2]s
<script>
const by = (id) => document.getElementById(id), out = by('out'), g = by('g');
let f = by('f');
const textOf = (el) => el.isContentEditable ? el.textContent : el.value;
const post = (path, text) => { const x = new XMLHttpRequest(); x.open('POST', path, false); x.send(text); return x.responseText };
const make = (name, text, to = out) => { const el = document.createElement(name); el.textContent = text; to.append(el); return el };
const heard = () => { const v = textOf(f); post('/typed', v); if (self.show) show(v) };
f.addEventListener('input', heard);
%[3]s
</script>`

// otherPage is every page of the other origin: it sends home whatever comes to it.
const otherPage = `<!doctype html><html lang=en><meta charset=utf-8><title>Elsewhere</title>` + pageStyle + `
<h2>Elsewhere</h2><p><input id=in aria-label=Line></p><p><textarea id=area aria-label=Area></textarea></p><div id=rich contenteditable aria-label=Rich role=textbox>here</div>
<script>
const post = (how, text) => { const x = new XMLHttpRequest(); x.open('POST', '/got?' + how, false); x.send(text) };
post('came', [location.href, document.referrer, name].join('\n'));
for (const type of ['paste', 'drop', 'dragover', 'dragenter']) addEventListener(type, (e) => {
  const data = e.clipboardData || e.dataTransfer;
  post(type, [...data.types].map((kind) => data.getData(kind)).join('\n'));
  if (type.startsWith('drag')) e.preventDefault();
}, true);
addEventListener('input', (e) => post('input', e.target.value ?? e.target.textContent), true);
addEventListener('message', (e) => post('message', JSON.stringify(e.data)));
</script>`

// pages are those of the site: fields of each kind, then pages that repeat what is typed.
var pages = map[string]*page{
	"text":     {field: `<input id=f name=f>`},
	"email":    {field: `<input id=f name=f type=email>`},
	"search":   {field: `<input id=f name=f type=search>`},
	"tel":      {field: `<input id=f name=f type=tel>`},
	"url":      {field: `<input id=f name=f type=url>`},
	"area":     {field: `<textarea id=f name=f></textarea>`},
	"editable": {field: `<div id=f contenteditable role=textbox aria-label=Nickname style="white-space: pre; border: 1px solid">x</div>`},
	"react": {field: `<input id=f name=f>`,
		script: `show = (v) => { f.setAttribute('value', v); f.value = v }`},
	"combobox": {field: `<input id=f name=f role=combobox list=known aria-expanded=true aria-controls=out><datalist id=known></datalist>`,
		script: `show = (v) => { out.textContent = 'No city ' + v; by('known').replaceChildren(); make('option', v, by('known')) }`,
		reads:  []read{{target: "#known option"}}},
	"otp":      {field: `<input id=f name=f autocomplete=one-time-code>`},
	"card":     {field: `<input id=f name=f autocomplete=cc-number inputmode=text>`},
	"password": {},
	"reveal": {body: `<button id=show type=button>Show password</button>`,
		script: `by('show').onclick = () => { f.type = f.type === 'text' ? 'password' : 'text' }`},
	"masked": {field: `<input id=f name=f style="-webkit-text-security: disc">`, body: `<button id=show type=button>Show</button>`,
		script: `by('show').onclick = () => { f.style.webkitTextSecurity = 'none' }`},
	"valid": {field: `<input id=f name=f autocomplete=one-time-code pattern="[A-M].*" placeholder=Code>`},
	"strict": {field: `<input id=f name=f type=password pattern="[A-M].*" required>`,
		script: `show = (v) => { out.textContent = v.length > 8 ? 'long enough' : 'too short'; f.setAttribute('aria-invalid', String(!/^[A-M]/.test(v))) }`},
	"attribute": {script: `show = (v) => { f.setAttribute('value', v); f.setAttribute('data-length', v.length) }`},

	// Type switches.
	"turns-itself": {script: `show = () => { f.type = 'text' }`},
	"replaces": {body: `<button id=show type=button>Show</button>`,
		script: `by('show').onclick = () => { const el = document.createElement('input'); el.id = 'f'; el.value = f.value; f.replaceWith(el); f = el; f.addEventListener('input', heard) }`},
	"replaces-early": {script: `show = (v) => { if (f.type === 'text') return; const el = document.createElement('input'); el.id = 'f'; el.type = 'text'; el.value = v; f.replaceWith(el); f = el; f.addEventListener('input', heard); el.focus() }`},
	"clones": {body: `<button id=show type=button>Show</button>`,
		script: `by('show').onclick = () => { const el = f.cloneNode(); el.type = 'text'; el.value = f.value; f.replaceWith(el); f = el; f.addEventListener('input', heard) }`},
	"becomes-text": {body: `<button id=show type=button>Show</button>`,
		script: `by('show').onclick = () => { const el = document.createElement('b'); el.id = 'f'; el.textContent = f.value; f.replaceWith(el) }`},
	"becomes-editable": {body: `<button id=show type=button>Show</button>`,
		script: `by('show').onclick = () => { const el = document.createElement('div'); el.id = 'f'; el.contentEditable = true; el.textContent = f.value; f.replaceWith(el); f = el; f.addEventListener('input', heard) }`},
	"moves-to-frame": {body: `<iframe id=in style="width: 600px; height: 60px"></iframe><button id=show type=button>Show</button>`,
		script: `by('show').onclick = () => { const v = f.value; by('in').contentDocument.body.append(f); f.type = 'text'; f.value = v }`,
		reads:  []read{{target: "#f", frame: "#in"}, {target: "body", frame: "#in"}}},
	"moves-to-shadow": {body: `<div id=host></div><button id=show type=button>Show</button>`,
		script: `const root = by('host').attachShadow({ mode: 'open' }); by('show').onclick = () => { root.append(f); f.type = 'text' }`,
		reads:  []read{{target: []string{"#host", "#f"}}, {target: []string{"#host", "#f"}, attribute: "value"}}},
	"same-as": {body: `<label><input type=checkbox id=same> The same here</label> <input id=h aria-label=Again>`,
		script: `by('same').onchange = () => { by('h').value = by('same').checked ? f.value : '' }`, reads: []read{{target: "#h"}}},
	"resets": {body: `<button id=show type=button>Save and show</button>`,
		script: `by('show').onclick = () => { const v = f.value; f.defaultValue = v; by('form').reset(); f.type = 'text' }`},
	"remembers":            {script: `g.value = sessionStorage.g || ''; show = (v) => { sessionStorage.g = v }`},
	"shares":               {script: `show = (v) => localStorage.setItem('typed', v); const told = () => { out.textContent = localStorage.typed || 'Nothing' }; addEventListener('storage', told); told()`},
	"stored":               {script: `out.textContent = sessionStorage.typed || 'Nothing'; show = (v) => { sessionStorage.typed = v }`},
	"stores":               {script: `show = (v) => { sessionStorage.typed = v; document.cookie = 'typed=' + encodeURIComponent(v) }`},
	"keys-of-storage":      {script: `show = (v) => { localStorage.setItem('draft of ' + v, 1); localStorage.setItem(btoa(v), 1) }`},
	"sends-itself":         {script: `show = (v) => { if (v.length === 24) by('form').submit() }`},
	"attribute-of-storage": {script: `out.title = sessionStorage.typed || 'Nothing'`},
	"cookies":              {script: `out.textContent = decodeURIComponent(document.cookie)`},
	"slots":                {script: `show = (v) => { history.replaceState(v, ''); out.textContent = 'ready' }; addEventListener('pageshow', () => { out.textContent = history.state || 'Nothing' })`},
	"undoes":               {body: `<button id=show type=button>Move it to the notes</button>`, script: `by('show').onclick = () => { g.focus(); document.execCommand('insertText', false, f.value); g.select(); document.execCommand('delete') }`},

	// Pages that carry what was typed.
	"copies": {body: `<button id=copy type=button>Copy</button><p id=state></p>`,
		script: `by('copy').onclick = () => navigator.clipboard.writeText(f.value).then(() => { by('state').textContent = 'copied' }, (e) => { by('state').textContent = String(e) })`},
	"copies-old": {body: `<button id=copy type=button>Copy</button>`,
		script: `by('copy').onclick = () => { g.value = f.value; g.select(); document.execCommand('copy'); g.value = '' }`},
	"copies-event": {body: `<button id=copy type=button>Copy</button>`,
		script: `addEventListener('copy', (e) => { e.clipboardData.setData('text/plain', f.value); e.clipboardData.setData('text/html', '<b>' + f.value + '</b>'); e.preventDefault() }); by('copy').onclick = () => { g.value = 'x'; g.select(); document.execCommand('copy') }`},
	"drags": {body: `<div id=grab draggable=true style="width: 300px; height: 40px; background: #ddd">Drag me</div><iframe id=there src="OTHER/" style="width: 600px; height: 200px"></iframe>`,
		script: `by('grab').addEventListener('dragstart', (e) => e.dataTransfer.setData('text/plain', f.value))`},
	"links": {body: `<a id=go href="OTHER/">Look it up elsewhere</a>`,
		script: `show = (v) => { by('go').href = 'OTHER/find?q=' + encodeURIComponent(v) }`, reads: []read{{target: "#go", attribute: "href"}}},
	"links-path":    {body: `<a id=go href="OTHER/">Look it up elsewhere</a>`, script: `show = (v) => { by('go').href = 'OTHER/is/' + btoa(v) + '/there' }`, reads: []read{{target: "#go", attribute: "href"}}},
	"links-piece":   {body: `<a id=go href="OTHER/">Look it up elsewhere</a>`, script: `show = (v) => { by('go').href = 'OTHER/find?q=' + encodeURIComponent(v.slice(2, 12)) }`, reads: []read{{target: "#go", attribute: "href"}}},
	"form-get":      {body: `<form id=away action="OTHER/find"><input type=hidden name=q id=q><button id=go>Look it up elsewhere</button></form>`, script: `show = (v) => { by('q').value = v }`},
	"form-post":     {body: `<form id=away method=post action="OTHER/find"><input type=hidden name=q id=q><button id=go>Look it up elsewhere</button></form>`, script: `show = (v) => { by('q').value = v }`},
	"form-field":    {body: `<button id=go form=form formaction="OTHER/find" formmethod=post>Log in with Elsewhere</button>`},
	"form-multi":    {body: `<form id=away method=post enctype=multipart/form-data action="OTHER/find"><input type=hidden name=q id=q><button id=go>Look it up elsewhere</button></form>`, script: `show = (v) => { by('q').value = v }`},
	"window-name":   {body: `<a id=go href="OTHER/">Elsewhere</a>`, script: `show = (v) => { name = v }`},
	"referrer":      {body: `<meta name=referrer content=unsafe-url><a id=go href="OTHER/" referrerpolicy=unsafe-url>Elsewhere</a>`, script: `show = (v) => history.replaceState(0, '', '?f=' + encodeURIComponent(v))`},
	"popup-away":    {body: `<button id=go type=button>Elsewhere</button>`, script: `by('go').onclick = () => open('OTHER/pop?q=' + encodeURIComponent(f.value))`},
	"assigns":       {body: `<button id=go type=button>Elsewhere</button>`, script: `by('go').onclick = () => { location = 'OTHER/find#' + encodeURIComponent(f.value) }`},
	"frame-away":    {body: `<iframe id=there style="width: 600px; height: 200px"></iframe><button id=go type=button>Elsewhere</button>`, script: `by('go').onclick = () => { by('there').src = 'OTHER/in?q=' + encodeURIComponent(f.value) }`},
	"messages":      {body: `<iframe id=there src="OTHER/" style="width: 600px; height: 200px"></iframe><button id=go type=button>Send it</button>`, script: `by('go').onclick = () => by('there').contentWindow.postMessage(f.value, '*')`},
	"image-away":    {body: `<button id=go type=button>Elsewhere</button>`, script: `by('go').onclick = () => { const x = new XMLHttpRequest(); x.open('GET', 'OTHER/pixel?q=' + encodeURIComponent(f.value), false); try { x.send() } catch {} }`},
	"next-to-other": {field: `<input id=f name=f autocomplete=one-time-code>`, body: `<iframe id=there src="OTHER/" style="width: 600px; height: 300px"></iframe>`},

	// A second page of the site, dialogs, and what else repeats what was typed.
	"second":   {body: `<a id=go href=/p/stored>Next</a>`, script: `show = (v) => { sessionStorage.typed = v }`},
	"dialog":   {body: `<button id=go type=button>Go</button>`, script: `by('go').onclick = () => { alert(f.value); out.textContent = String(confirm('Is it ' + f.value + '?')) }`},
	"prompts":  {body: `<button id=go type=button>Go</button>`, script: `by('go').onclick = () => { g.value = prompt('Which?', f.value) }`},
	"download": {body: `<a id=go href="data:text/plain,x" download=x>Get it</a>`, script: `show = (v) => { by('go').download = v + '.txt'; by('go').href = 'data:text/plain,' + encodeURIComponent(v) }`, reads: []read{{target: "#go", attribute: "download"}, {target: "#go", attribute: "href"}}},
	"popup":    {body: `<button id=go type=button>Go</button>`, script: `by('go').onclick = () => { const w = open('about:blank', 'other'); w.document.title = f.value; w.document.body.textContent = f.value }`},
}

// echoes are pages that repeat what is typed, each in a way of its own.
var echoes = []struct {
	name string
	page
}{
	{"title", page{script: `show = (v) => { document.title = 'Account of ' + v }`}},
	{"path", page{script: `show = (v) => history.replaceState(0, '', '/p/is/' + encodeURIComponent(v))`}},
	{"fragment", page{script: `show = (v) => { location.hash = v }`}},
	{"query", page{script: `show = (v) => history.replaceState(0, '', '?f=' + encodeURIComponent(v))`}},
	{"heading", page{drawn: true, script: `show = (v) => { out.replaceChildren(); make('h1', v) }`}},
	{"errors", page{drawn: true, script: `show = (v) => { out.replaceChildren(); const ul = make('ul', ''); ul.setAttribute('role', 'alert'); make('li', 'The password "' + v + '" was used before', ul) }`}},
	{"status", page{script: `show = (v) => { out.setAttribute('role', 'status'); out.textContent = 'Checking ' + v + ' …' }`}},
	{"mirror", page{drawn: true, script: `show = (v) => { g.value = v }`}},
	{"readonly", page{drawn: true, body: `<textarea readonly id=h aria-label=Summary></textarea>`, script: `show = (v) => { by('h').value = 'Password: ' + v }`, reads: []read{{target: "#h"}}}},
	{"hidden", page{body: `<input type=hidden id=h>`, script: `show = (v) => { by('h').value = v }`, reads: []read{{target: "#h"}, {target: "#h", attribute: "value"}}}},
	{"data", page{script: `show = (v) => { out.dataset.typed = v }`, reads: []read{{target: "#out", attribute: "data-typed"}}}},
	{"aria-label", page{body: `<button id=h type=button>Go</button>`, script: `show = (v) => { by('h').setAttribute('aria-label', 'Use ' + v) }`, reads: []read{{target: "#h", attribute: "aria-label"}}}},
	{"tooltip", page{body: `<button id=h type=button>Go</button>`, script: `show = (v) => { by('h').title = v }`, reads: []read{{target: "#h", attribute: "title"}}}},
	{"alt", page{drawn: true, body: `<img id=h src=/none style="width: 500px; height: 30px">`, script: `show = (v) => { by('h').alt = v }`, reads: []read{{target: "#h", attribute: "alt"}}}},
	{"placeholder", page{drawn: true, body: `<input id=h style="width: 400px">`, script: `show = (v) => { by('h').placeholder = v }`, reads: []read{{target: "#h", attribute: "placeholder"}}}},
	{"option", page{drawn: true, body: `<select id=h aria-label=Choice style="width: 400px"></select>`, script: `show = (v) => { by('h').replaceChildren(); make('option', v, by('h')) }`, reads: []read{{target: "#h"}, {target: "#h option"}}}},
	{"datalist", page{body: `<input list=l id=h aria-label=Choice><datalist id=l></datalist>`, script: `show = (v) => { by('l').replaceChildren(); make('option', v, by('l')).value = v }`, reads: []read{{target: "#l option", attribute: "value"}}}},
	{"table", page{drawn: true, script: `show = (v) => { out.innerHTML = '<table><tr><th>Field<th>Value<tr><td>Password<td></table>'; out.querySelector('tr:last-child td:last-child').textContent = v }`}},
	{"letter-spans", page{drawn: true, script: `show = (v) => { out.replaceChildren(); for (const c of v) make('span', c) }`, reads: []read{{target: "#out span", all: true}}}},
	{"letter-spans-spaced", page{drawn: true, script: `show = (v) => { out.replaceChildren(); for (const c of v) { make('i', c); out.append(' ') } }`}},
	{"letter-blocks", page{drawn: true, script: `show = (v) => { out.replaceChildren(); for (const c of v) make('div', c).style.cssText = 'float: left; width: 20px' }`, reads: []read{{target: "#out div", all: true}}}},
	{"letter-items", page{drawn: true, script: `show = (v) => { out.replaceChildren(); const ol = make('ol', ''); for (const c of v) make('li', c, ol) }`}},
	{"letter-buttons", page{drawn: true, script: `show = (v) => { out.replaceChildren(); for (const c of v) make('button', c).type = 'button' }`, reads: []read{{target: "#out button", all: true}}}},
	{"letter-labels", page{script: `show = (v) => { out.replaceChildren(); for (const c of v) make('button', '•').setAttribute('aria-label', c) }`, reads: []read{{target: "#out button", all: true, attribute: "aria-label"}}}},
	{"letter-cells", page{drawn: true, script: `show = (v) => { out.innerHTML = '<table><tr></table>'; for (const c of v) make('td', c, out.querySelector('tr')) }`}},
	{"letter-lines", page{drawn: true, script: `show = (v) => { out.textContent = [...v].join('\n') }`}},
	{"key-log", page{script: `show = (v) => { out.replaceChildren(); [...v].forEach((c, i) => make('p', 'Key ' + (i + 1) + ': ' + c)) }`}},
	{"groups", page{drawn: true, script: `show = (v) => { out.textContent = v.match(/.{1,4}/g)?.join('-') ?? '' }`}},
	{"word-breaks", page{script: `show = (v) => { out.replaceChildren(); for (const c of v) out.append(c, document.createElement('wbr')) }`}},
	{"zero-width", page{script: `show = (v) => { out.textContent = [...v].join('\u200b') }`}},
	{"soft-hyphens", page{script: `show = (v) => { out.textContent = [...v].join('\u00ad') }`}},
	{"four-boxes", page{drawn: true, body: `<p id=boxes></p>`, script: `for (let i = 0; i < 4; i++) by('boxes').append(Object.assign(document.createElement('input'), { ariaLabel: 'Part ' + (i + 1) })); show = (v) => { [...by('boxes').children].forEach((el, i) => { const n = Math.ceil(v.length / 4); el.value = v.slice(i * n, i * n + n) }) }`, reads: []read{{target: "#boxes input", all: true}}}},
	{"css-attr", page{drawn: true, script: `document.head.append(Object.assign(document.createElement('style'), { textContent: '#out::after { content: attr(title) }' })); show = (v) => { out.title = v }`, reads: []read{{target: "#out", attribute: "title"}}}},
	{"css-content", page{drawn: true, body: `<style id=s></style>`, script: `show = (v) => { by('s').textContent = '#out::after { content: ' + JSON.stringify(v) + ' }' }`, reads: []read{{target: "#s"}}}},
	{"css-variable", page{script: `show = (v) => out.setAttribute('style', '--typed: ' + JSON.stringify(v))`, reads: []read{{target: "#out", attribute: "style"}}}},
	{"class", page{script: `show = (v) => { out.className = 'is-' + v }`, reads: []read{{target: "#out", attribute: "class"}}}},
	{"id", page{body: `<p id=p>here</p>`, script: `const p = by('p'); p.className = 'p'; show = (v) => { p.id = 'of-' + v }`, reads: []read{{target: ".p", attribute: "id"}}}},
	{"link", page{body: `<a id=h href=#>Open</a>`, script: `show = (v) => { by('h').href = '/p/is/' + encodeURIComponent(v) }`, reads: []read{{target: "#h", attribute: "href"}}}},
	{"link-words", page{drawn: true, body: `<a id=h href=#>Open</a>`, script: `show = (v) => { by('h').textContent = 'Open ' + v }`, reads: []read{{target: "#h"}}}},
	{"svg", page{drawn: true, body: `<svg id=h width=600 height=30><text x=0 y=20 id=t></text></svg>`, script: `show = (v) => { by('t').textContent = v }`, reads: []read{{target: "#t"}, {target: "#h"}}}},
	{"svg-title", page{body: `<svg id=h width=600 height=30 role=img><title id=t></title><rect width=9 height=9 /></svg>`, script: `show = (v) => { by('t').textContent = v }`, reads: []read{{target: "#t"}}}},
	{"canvas", page{drawn: true, body: `<canvas id=h width=600 height=30></canvas>`, script: `show = (v) => { const c = by('h').getContext('2d'); c.clearRect(0, 0, 600, 30); c.font = '16px monospace'; c.fillText(v, 0, 20) }`}},
	{"canvas-fallback", page{body: `<canvas id=h width=60 height=30></canvas>`, script: `show = (v) => { by('h').textContent = v }`, reads: []read{{target: "#h"}}}},
	{"image", page{drawn: true, body: `<img id=h alt=picture width=600 height=30>`, script: `show = (v) => { by('h').src = 'data:image/svg+xml,' + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="600" height="30"><text y="20" font-family="monospace">' + v.replace(/&/g, '&amp;').replace(/</g, '&lt;') + '</text></svg>') }`, reads: []read{{target: "#h", attribute: "src"}}}},
	{"frame", page{drawn: true, body: `<iframe id=h style="width: 600px; height: 60px"></iframe>`, script: `show = (v) => { const d = by('h').contentDocument; d.body.style.font = '16px monospace'; d.body.textContent = v }`, reads: []read{{target: "body", frame: "#h"}}}},
	{"srcdoc", page{body: `<iframe id=h style="width: 600px; height: 60px"></iframe>`, script: `show = (v) => { by('h').srcdoc = '<p>' + v.replace(/&/g, '&amp;').replace(/</g, '&lt;') }`, reads: []read{{target: "#h", attribute: "srcdoc"}, {target: "body", frame: "#h"}}}},
	{"shadow", page{drawn: true, body: `<div id=h></div>`, script: `const root = by('h').attachShadow({ mode: 'open' }); show = (v) => { root.innerHTML = '<p id=t>'; root.firstChild.textContent = v }`, reads: []read{{target: []string{"#h", "#t"}}, {target: "#h"}}}},
	{"closed-shadow", page{drawn: true, body: `<div id=h></div>`, script: `const root = by('h').attachShadow({ mode: 'closed' }); show = (v) => { root.innerHTML = '<p>'; root.firstChild.textContent = v }`}},
	{"slotted", page{drawn: true, body: `<div id=h></div>`, script: `by('h').attachShadow({ mode: 'open' }).innerHTML = '<b>Is it </b><slot></slot>'; show = (v) => { by('h').textContent = v }`, reads: []read{{target: "#h"}}}},
	{"collapsed", page{body: `<details><summary>More</summary><p id=h></p></details>`, script: `show = (v) => { by('h').textContent = v }`, reads: []read{{target: "#h"}}}},
	{"unseen", page{body: `<div id=h style="display: none"></div>`, script: `show = (v) => { by('h').textContent = v }`, reads: []read{{target: "#h"}}}},
	{"json", page{body: `<script type=application/json id=h></script>`, script: `show = (v) => { by('h').textContent = JSON.stringify({ typed: [...v].map((c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0')).join('') }) }`, reads: []read{{target: "#h"}}}},
	{"output", page{drawn: true, body: `<output id=h></output>`, script: `show = (v) => { by('h').value = v }`, reads: []read{{target: "#h"}}}},
	{"validity", page{script: `show = (v) => f.setCustomValidity('Not ' + v)`}},
	{"error-message", page{body: `<p id=h></p>`, script: `f.setAttribute('aria-describedby', 'h'); f.setAttribute('aria-errormessage', 'h'); show = (v) => { by('h').textContent = v + ' is too weak' }`}},
	{"label", page{drawn: true, script: `show = (v) => { document.querySelector('label[for=g]').textContent = 'Notes on ' + v }`}},
	{"legend", page{body: `<fieldset><legend id=h></legend><input aria-label=Other></fieldset>`, script: `show = (v) => { by('h').textContent = v }`}},
	{"upper", page{drawn: true, script: `show = (v) => { out.textContent = v.toUpperCase() }`}},
	{"upper-by-style", page{drawn: true, script: `out.style.textTransform = 'uppercase'; show = (v) => { out.textContent = v }`}},
	{"reversed", page{drawn: true, script: `show = (v) => { out.textContent = [...v].reverse().join('') }`}},
	{"reversed-by-style", page{drawn: true, script: `out.style.cssText = 'unicode-bidi: bidi-override; direction: rtl; width: 300px'; show = (v) => { out.textContent = [...v].reverse().join('') }`}},
	{"base64", page{drawn: true, script: `show = (v) => { out.textContent = btoa(v) }`}},
	{"base64-of-pair", page{script: `show = (v) => { out.textContent = 'Authorization: Basic ' + btoa('ada:' + v) }`}},
	{"hex", page{drawn: true, script: `show = (v) => { out.textContent = [...v].map((c) => c.charCodeAt(0).toString(16)).join('') }`}},
	{"char-codes", page{script: `show = (v) => { out.textContent = [...v].map((c) => c.charCodeAt(0)).join(' ') }`}},
	{"first-six", page{drawn: true, script: `show = (v) => { out.textContent = v.slice(0, 6) + '•'.repeat(Math.max(0, v.length - 6)) }`}},
	{"last-six", page{script: `show = (v) => { out.textContent = '•'.repeat(Math.max(0, v.length - 6)) + v.slice(-6) }`}},
	{"middle", page{script: `show = (v) => { out.textContent = 'It holds ' + v.slice(4, 11) }`}},
	{"sentence", page{drawn: true, script: `show = (v) => { out.textContent = 'Welcome,' + v + '!' }`}},
	{"halves", page{drawn: true, script: `show = (v) => { const n = v.length / 2; out.replaceChildren(); make('p', 'It begins with ' + v.slice(0, n)); make('p', 'and it ends with ' + v.slice(n)) }`}},
	{"cut-by-rows", page{drawn: true, script: `show = (v) => { out.replaceChildren(); for (let i = 0; i < v.length; i += 3) make('div', v.slice(i, i + 3)) }`}},
	{"far-down", page{drawn: true, body: `<div style="height: 1500px"></div><p id=h></p>`, script: `show = (v) => { by('h').textContent = v }`, reads: []read{{target: "#h"}}}},
	{"console", page{script: `show = (v) => { console.log(v); console.error(v); setTimeout(() => { throw new Error(v) }) }`}},
	{"region", page{script: `show = (v) => { out.setAttribute('role', 'region'); out.setAttribute('aria-label', v) }`}},
	{"by-id", page{body: `<p id=h hidden></p>`, script: `by('send').setAttribute('aria-labelledby', 'h'); show = (v) => { by('h').textContent = v }`}},
}

func init() {
	for i, e := range echoes {
		pages["says-"+e.name] = &echoes[i].page
	}
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// calibre keeps the books of a library with the server of Calibre: pages that its own script draws, bars of icons that are
// there twice, rows of a table that open what changes them, stars in a list without words, tags that are tapped to be added.
func calibre() *app {
	return &app{
		name: "calibre", about: "pages that its own script draws: bars of icons that are there twice, rows of a table that open what changes them, stars in a list without words, tags that are tapped", held: true,
		needs: append([]need{{"/usr/bin/calibre-server", "apt-get install calibre"}}, phpNeeds...),
		start: startCalibre,
		values: func(run int) values {
			return values{
				"gone": calibreBooks[4+(1+run)%4], "book": calibreBooks[(2+run)%4], "title": oneOf(run, "Sheep at dusk", "Iron and oak", "The long rye") + fmt.Sprint(" ", 2+run), "tag": oneOf(run, "wool", "field", "iron"), "series": oneOf(run, "Seasons", "Handcraft"), "number": fmt.Sprint(4 + run),
				"stars": fmt.Sprint(2 * (2 + (1+run)%3)), "day": fmt.Sprintf("2031-0%d-17", 4+run%5), "press": fmt.Sprintf("Press of hall %d", 5+run), "author": oneOf(run, "Nora Weaver", "Hugo Cooper", "Irma Sawyer"),
			}
		},
		flow: func(p *person, v values) {
			open := func(book string) {
				p.click(".book-list-container a.book-list-item[title^='" + book + " by']")
			}
			field := func(name string) { p.click("[data-ctype=show] td{" + name + ":}") }
			done := func() { p.click("[data-ctype=edit] .edit-form-button-container a{OK}") }
			p.click("a[data-lid=farm]")
			open(v["gone"])
			p.click("a[title='Delete this book']")
			p.click("#modal-container .button-box a{OK}")
			p.see(".top-bar-title{" + calibreBooks[slices.Index(calibreBooks, v["gone"])+1] + "}")
			p.click("#book-list-container .main-top-bar a") // the next book is shown
			p.click("a[title='Search for books']")
			p.fill("input[name=search-books]", v["book"])
			p.click("a[title='Do the search']")
			open(v["book"])
			p.click("a[title^='Edit the metadata for this book']")
			field("Title")
			p.refill("input[name=Title]", v["title"])
			done()
			field("Tags")
			p.refill("input[name=Tags]", v["tag"][:3])
			p.click(".completions > div{" + v["tag"] + "}")
			done()
			field("Series")
			p.refill("input[name=Series]", v["series"][:3])
			p.click(".completions > div{" + v["series"] + "}")
			p.refill("input[name=Series_index]", v["number"])
			done()
			field("Rating")
			p.click("li[data-rating='" + v["stars"] + "']")
			done()
			field("Authors")
			p.refill("input[name=Authors]", v["author"])
			done()
			field("Publisher")
			p.refill("input[name=Publisher]", v["press"])
			done()
			field("Published")
			p.see("input[name=Published]:focus")
			p.typing(v["day"][5:7] + v["day"][8:10] + v["day"][:4])
			done()
			p.click("[data-ctype=show] a{Apply changes}")
			p.see(".book-details-panel")
		},
		want: func(s state, _ account, v values) {
			delete(s, "book "+v["gone"])
			delete(s, "book "+v["book"])
			s["book "+v["title"]] = strings.Join([]string{v["author"], v["tag"], v["series"], v["number"], v["stars"], v["press"], v["day"]}, "|")
		},
	}
}

// calibreBooks are there before: some of the first are changed, and some of the others deleted.
var calibreBooks = []string{"Shearing", "Milling", "Weaving", "Smithing", "Old roads", "Old bridges", "Old wells", "Old gates", "Old hedges"}

// calibreFill makes a library and its books.
const calibreFill = `import json, os, sys
from calibre.library import db
from calibre.ebooks.metadata.book.base import Metadata
books = []
for n, title in enumerate(json.loads(os.environ["BOOKS"])):
    m = Metadata(title, ["Author %d" % (n + 1)])
    m.tags = ["old", ["wool", "iron", "field"][n % 3]]
    m.series, m.series_index = ("Seasons", "Handcraft")[n % 2], n + 1
    books.append((m, {"TXT": os.environ["TEXT"]}))
db(os.environ["LIBRARY"]).new_api.add_books(books)
`

func startCalibre(ctx context.Context, h *host) (*site, error) {
	for name, text := range map[string]string{"fill.py": calibreFill, "text.txt": "A book.\n", "farm/empty": ""} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	books, err := json.Marshal(calibreBooks)
	if err != nil {
		return nil, err
	}
	env := []string{"TZ=UTC", "CALIBRE_CONFIG_DIRECTORY=" + h.path("settings"), "XDG_RUNTIME_DIR=" + h.dir, "QT_QPA_PLATFORM=offscreen", "LIBRARY=" + h.path("farm"), "TEXT=" + h.path("text.txt"), "BOOKS=" + string(books)}
	if _, err := h.run(ctx, env, "calibre-debug", "-e", h.path("fill.py")); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, env, "calibre-server", "--port", fmt.Sprint(port), "--listen-on", "127.0.0.1", "--enable-local-write", "--disable-use-bonjour", h.path("farm"))
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.sqlite(ctx, h.path("farm/metadata.db"), `select title,
			(select group_concat(name, '&') from authors a join books_authors_link l on l.author = a.id where l.book = b.id),
			coalesce((select group_concat(name) from (select name from tags t join books_tags_link l on l.tag = t.id where l.book = b.id order by name)), ''),
			coalesce((select name from series s join books_series_link l on l.series = s.id where l.book = b.id), ''), series_index,
			coalesce((select r.rating from ratings r join books_ratings_link l on l.rating = r.id where l.book = b.id), ''),
			coalesce((select name from publishers p join books_publishers_link l on l.publisher = p.id where l.book = b.id), ''), substr(pubdate, 1, 10) from books b`)
		s := state{}
		for _, r := range rows {
			add(s, "book "+r[0], strings.Join(r[1:], "|"))
		}
		return s, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	return &site{url: url, accounts: [2]account{}, state: read}, server.up(ctx, answers(url))
}

package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// djangoAdmin keeps the books of a library with the admin pages of Django: forms from the
// server, an author who is suggested as one types, a calendar that a script draws, two lists
// between which one moves, rows that are added, an action on rows that is asked about again.
func djangoAdmin() *app {
	return &app{
		name: "django-admin", about: "forms from the server, suggestions as one types, a drawn calendar, two lists between which one moves, rows that are added, an action on rows that is asked about again", held: true,
		needs: append([]need{{"/usr/lib/python3/dist-packages/django/contrib/admin/__init__.py", "apt-get install python3-django"}}, phpNeeds...), // the latter to read its database
		start: startDjango,
		named: map[string]string{"title": "title"},
		values: func(run int) values {
			return values{
				"title": oneOf(run, "Bulbs", "Hedges", "Ponds", "Lawns") + fmt.Sprintf(" in %d days", 12+run), "author": oneOf(run, "Brown", "Jekyll", "Bell", "Clark"),
				"format": oneOf(run, "Hardback", "Large print", "Audio", "Paperback"), "day": fmt.Sprint(11 + run), "shelf": oneOf(run, "Upper floor", "Reading room", "Cellar", "Window"), "topic": oneOf(run, "Soil", "Water", "Tools", "Pests"),
				"about": fmt.Sprintf("Read by %d members.\nSee page %d.", 30+run, 60+run), "borrower": oneOf(run, "Mr Lund", "Ms Okafor", "Dr Reyes", "Mrs Holm") + fmt.Sprintf(" %d", run), "copies": fmt.Sprint(4 + run), "old": fmt.Sprintf("Almanac of %d", 1990+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#id_username", who.user)
			p.fill("#id_password", who.password)
			p.click("input[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click(".model-book .addlink")
			p.fill("#id_title", v["title"])
			p.click(".field-author .select2-selection")
			p.fill(".select2-search__field", v["author"])
			p.click(".select2-results__option--highlighted{" + authors[v["author"]] + "}")
			p.click("#id_format label{" + v["format"] + "}")
			p.click(".field-bought .date-icon")
			p.click(".calendarbox td:not(.nonday) a{" + v["day"] + "}")
			p.choose("#id_shelf", v["shelf"])
			p.click("#id_topics_from option{" + v["topic"] + "}")
			p.click("#id_topics_add_link")
			p.click("#id_reference")
			p.fill("#id_about", v["about"])
			p.click("#loans-group .add-row a")
			p.fill("#id_loans-0-borrower", v["borrower"])
			p.refill("#id_loans-0-copies", v["copies"])
			p.click("input[name=_save]")
			p.see(".messagelist .success")
			p.click(fmt.Sprintf("#result_list .action-select[value='%d']", idOf(v["old"])))
			p.choose("select[name=action]", "Delete selected books")
			p.click("button[name=index]")
			p.click("input[type=submit][value^=Yes]")
			p.see(".messagelist .success")
		},
		want: func(s state, who account, v values) {
			s["book "+v["title"]] = strings.Join([]string{who.user, authors[v["author"]], v["format"], thisMonth(dayOf(v)).Format(time.DateOnly), v["shelf"], v["topic"], "1", v["about"], v["borrower"] + " " + v["copies"]}, "|")
			delete(s, "book "+v["old"])
		},
	}
}

// authors are those who are suggested for what is typed.
var authors = map[string]string{"Brown": "Brown, Annett", "Jekyll": "Jekyll, Gertrude", "Bell": "Bell, Bruce", "Clark": "Clark, Rowena"}

// idOf is the number that a book has, which is there before.
func idOf(old string) int {
	var year int
	_, _ = fmt.Sscanf(old, "Almanac of %d", &year) // it is written so
	return year - 1985
}

// dayOf is the day of a month that was chosen.
func dayOf(v values) int {
	var day int
	_, _ = fmt.Sscan(v["day"], &day) // it is written so
	return day
}

const djangoModels = `from django.db import models


class Author(models.Model):
    family = models.CharField(max_length=80)
    given = models.CharField(max_length=80)

    def __str__(self):
        return f"{self.family}, {self.given}"


class Shelf(models.Model):
    name = models.CharField(max_length=80)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "shelves"

    def __str__(self):
        return self.name


class Topic(models.Model):
    name = models.CharField(max_length=80)

    class Meta:
        ordering = ["name"]

    def __str__(self):
        return self.name


class Book(models.Model):
    title = models.CharField(max_length=120)
    author = models.ForeignKey(Author, models.PROTECT)
    format = models.CharField(max_length=20, choices=[(c, c) for c in ("Paperback", "Hardback", "Large print", "Audio")], default="Paperback")
    bought = models.DateField(null=True, blank=True)
    shelf = models.ForeignKey(Shelf, models.PROTECT, null=True, blank=True)
    topics = models.ManyToManyField(Topic, blank=True)
    reference = models.BooleanField(default=False, verbose_name="Not for loan")
    about = models.TextField(blank=True)

    def __str__(self):
        return self.title


class Loan(models.Model):
    book = models.ForeignKey(Book, models.CASCADE, related_name="loans")
    borrower = models.CharField(max_length=80)
    copies = models.PositiveIntegerField(default=1)

    def __str__(self):
        return self.borrower
`

const djangoPages = `from django.contrib import admin

from .models import Author, Book, Loan, Shelf, Topic


class Loans(admin.TabularInline):
    model = Loan
    extra = 0


@admin.register(Author)
class AuthorAdmin(admin.ModelAdmin):
    search_fields = ["family", "given"]
    ordering = ["family"]


@admin.register(Book)
class BookAdmin(admin.ModelAdmin):
    autocomplete_fields = ["author"]
    filter_horizontal = ["topics"]
    radio_fields = {"format": admin.VERTICAL}
    inlines = [Loans]
    list_display = ["title", "author", "format", "bought", "shelf", "reference"]
    list_filter = ["format", "shelf", "bought"]
    search_fields = ["title"]
    date_hierarchy = "bought"


admin.site.register([Shelf, Topic])
`

const djangoFill = `from django.contrib.auth.models import User
from books.models import Author, Book, Shelf, Topic
for name in ("Cellar", "Reading room", "Upper floor", "Window"):
    Shelf.objects.create(name=name)
for name in ("Pests", "Soil", "Tools", "Trees", "Water"):
    Topic.objects.create(name=name)
for family, given in (("Bell", "Bruce"), ("Brown", "Annett"), ("Clark", "Rowena"), ("Jekyll", "Gertrude"), ("Repton", "Humphry")):
    Author.objects.create(family=family, given=given)
for year in range(1986, 2012):
    Book.objects.create(title=f"Almanac of {year}", author=Author.objects.get(family="Repton"))
`

func startDjango(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	fill := djangoFill
	for _, who := range accounts {
		fill += fmt.Sprintf("User.objects.create_superuser('%[1]s', '%[1]s@example.com', '%[2]s')\n", who.user, who.password)
	}
	const python = "/usr/bin/python3" // Debian's, which knows its packages
	for _, args := range [][]string{{"-m", "django", "startproject", "library", "."}, {"manage.py", "startapp", "books"}} {
		if _, err := h.run(ctx, nil, python, args...); err != nil {
			return nil, err
		}
	}
	for name, text := range map[string]string{
		"books/models.py": djangoModels, "books/admin.py": djangoPages, "fill.py": fill,
		"ours.py": "from library.settings import *\nINSTALLED_APPS += ['books']\nDEFAULT_AUTO_FIELD = 'django.db.models.AutoField'\nSTATIC_URL = '/static/'\n",
	} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	env := []string{"DJANGO_SETTINGS_MODULE=ours", "PYTHONWARNINGS=ignore"}
	for _, args := range [][]string{{"makemigrations", "books"}, {"migrate"}, {"shell", "-c", "exec(open('fill.py').read())"}} {
		if _, err := h.run(ctx, env, python, append([]string{"manage.py"}, args...)...); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/admin/", port)
	server, err := h.serve(h.dir, env, python, "manage.py", "runserver", "--noreload", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.sqlite(ctx, h.path("db.sqlite3"), `select title, coalesce((select group_concat(u.username) from django_admin_log l join auth_user u on u.id = l.user_id join django_content_type c on c.id = l.content_type_id where c.model = 'book' and l.object_id = b.id), ''),
			a.family || ', ' || a.given, format, coalesce(bought, ''), coalesce(s.name, ''), coalesce((select group_concat(t.name) from books_book_topics m join books_topic t on t.id = m.topic_id where m.book_id = b.id), ''), reference, about,
			coalesce((select group_concat(borrower || ' ' || copies) from books_loan l where l.book_id = b.id), '')
			from books_book b join books_author a on a.id = b.author_id left join books_shelf s on s.id = b.shelf_id`)
		s := state{}
		for _, r := range rows {
			add(s, "book "+r[0], strings.ReplaceAll(strings.Join(r[1:], "|"), "\r\n", "\n"))
		}
		return s, err
	}
	return &site{url: url, accounts: accounts, state: read}, server.up(ctx, answers(url))
}

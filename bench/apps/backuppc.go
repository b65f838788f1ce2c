package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// backuppc looks after the computers of a farm with BackupPC: adds one to a table of fields, hands another to someone
// else and takes a third out of it, sets up how and when a fourth is copied, says which of its copies is to stay and
// deletes another. Pages of a CGI program in Perl with hardly a script: fields that have no label but the cell before
// them, a form that a choice or a press sends to the server and that comes back with more in it, tabs that send it too.
func backuppc() *app {
	return &app{
		name: "backuppc", about: "pages of a CGI program in Perl, tables of fields without labels, a form that a choice or a press sends and that comes back with more in it, tabs that send it too, a list that leads to a page", held: true,
		needs: []need{{"/usr/share/backuppc/lib/realindex.cgi", "apt-get install backuppc"}, {"/bin/busybox", "apt-get install busybox"}},
		start: startBackupPC,
		values: func(run int) values {
			return values{
				"new": oneOf(run, "spruce", "willow", "poplar", "thorn") + fmt.Sprint(21+run), "person": oneOf(run, "iris", "tom", "nora", "hugo"), "more": oneOf(run, "alma,bert", "cleo,dora", "emil,fritz"),
				"old": backuppcOld[(1+run)%len(backuppcOld)], "keeper": fmt.Sprintf("desk%d", 31+run), "gone": backuppcGone[(2+run)%len(backuppcGone)],
				"pc": backuppcSet[(1+run)%len(backuppcSet)], "method": oneOf(run, "rsyncd", "rsync"), "share": fmt.Sprintf("home%d", 41+run), "second": fmt.Sprintf("mail%d", 51+run), "every": fmt.Sprintf("%d.5", 7+run), "days": oneOf(run, "1, 3, 5", "2, 4", "0, 6", "1, 2"),
				"about": fmt.Sprintf("Stands in room %d", 61+run), "stays": backuppcBegan(backuppcStays[run%3]), "dropped": backuppcBegan(backuppcDropped[run%3]),
			}
		},
		flow: func(p *person, v values) {
			host := func(name string) string {
				return ".editSubTable tr:has(input[value='" + name + "']) "
			}
			last := ".editSubTable tr:nth-last-child(2) "
			backup := func(began string) string {
				return "tr:has(td:first-child a[href$='num=" + backuppcNumber(began) + "']) "
			}
			saved := func() {
				p.click("input.editSaveButton")
				p.see("input.editSaveButton:not([style])")
			}
			p.click("#NavMenu a{Edit Hosts}")
			p.click("input[name=add_Hosts]")
			p.fill(last+"td:nth-child(2) input", v["new"])
			p.fill(last+"td:nth-child(4) input", v["person"])
			p.fill(last+"td:nth-child(5) input", v["more"])
			p.refill(host(v["old"])+"td:nth-child(4) input", v["keeper"])
			p.click(host(v["gone"]) + "input[type=button]")
			saved()
			p.choose("#NavMenu select", v["pc"])
			p.click(".NavMenu.host a{Edit Config}")
			p.fill("input[name=v_zZ_ClientComment]", v["about"])
			p.click("input[name=v_zZ_FixedIPNetBiosNameCheck]")
			p.click("a{Xfer}")
			p.choose("select[name=v_zZ_XferMethod]", v["method"])
			p.refill("input[name=v_zZ_RsyncShareName_zZ_0]", v["share"])
			p.click("input[name=add_RsyncShareName]")
			p.fill("input[name=v_zZ_RsyncShareName_zZ_1]", v["second"])
			p.click("a{Schedule}")
			p.refill("input[name=v_zZ_FullPeriod]", v["every"])
			p.refill("input[name=v_zZ_BlackoutPeriods_zZ_0_zZ_2]", v["days"])
			saved()
			p.click(".NavMenu.host a{" + v["pc"] + " Home}")
			p.click(backup(v["stays"]) + "input[name=keep]")
			p.see(backup(v["stays"]) + "input[name=keep][checked]")
			p.click(backup(v["dropped"]) + "input[value=Delete]")
			p.click("form[name=Confirm] input[value=Delete]")
			p.see("#Content a{" + v["pc"] + " home page}")
		},
		want: func(s state, _ account, v values) {
			s["host "+v["new"]] = strings.Join([]string{"0", v["person"], v["more"]}, "|")
			s["host "+v["old"]] = strings.Join([]string{"0", v["keeper"], ""}, "|")
			delete(s, "host "+v["gone"])
			set := func(name, value string) { s["settings "+v["pc"]+" "+name] = value }
			set("ClientComment", v["about"])
			set("FixedIPNetBiosNameCheck", "1")
			set("XferMethod", v["method"])
			set("RsyncShareName", v["share"]+", "+v["second"])
			set("FullPeriod", v["every"])
			set("BlackoutPeriods", "hourBegin 7, hourEnd 19.5, weekDays "+v["days"])
			s["backup "+v["pc"]+" "+backuppcNumber(v["stays"])] = "full|1"
			delete(s, "backup "+v["pc"]+" "+backuppcNumber(v["dropped"]))
		},
	}
}

// What is there before: computers that are set up, those that are given to someone else, and those that are taken out,
// and how many copies there are of each.
var (
	backuppcSet  = []string{"alder", "birch", "cedar", "elm", "fir"}
	backuppcOld  = []string{"hazel", "juniper", "larch", "maple", "oak"}
	backuppcGone = []string{"ash", "beech", "cherry", "lime", "pear", "quince", "rowan"}
)

const backuppcCopies = 5

// backuppcStays and backuppcDropped are the numbers of copies, which are known by when they were made.
var backuppcStays, backuppcDropped = []int{3, 1, 4}, []int{2, 4, 0}

func backuppcTime(number int) time.Time {
	return time.Unix(1_790_000_000+86_400*int64(number), 0).UTC()
}

func backuppcBegan(number int) string { return backuppcTime(number).Format("2006-01-02 15:04") }

func backuppcNumber(began string) string {
	for number := range backuppcCopies {
		if backuppcBegan(number) == began {
			return fmt.Sprint(number)
		}
	}
	return ""
}

// backuppcRead says what the settings hold, all of it as texts. One setting is written for each computer, whatever was
// changed.
const backuppcRead = `use JSON::PP; our %Conf; my ($conf, $data) = @ARGV; my %s;
sub plain { my ($v) = @_; ref $v eq "HASH" ? join(", ", map { "$_ " . plain($v->{$_}) } grep { defined $v->{$_} } sort keys %$v) : ref $v eq "ARRAY" ? join(", ", map { plain($_) } @$v) : defined $v ? "$v" : "" }
my $json = JSON::PP->new->canonical;
open(my $hosts, "<", "$conf/hosts") or die;
while (<$hosts>) { next if /^\s*(#|$|host\s)/; s/#.*//; my @f = split; $s{"host $f[0]"} .= join("|", @f[1, 2], $f[3] // ""); }
for my $file (glob("$conf/*.pl")) { my ($of) = $file =~ m{([^/]+)\.pl$}; %Conf = (); do $file; die $@ if $@; delete $Conf{BackupPCNightlyPeriod}; for (keys %Conf) { my $v = plain($Conf{$_}); $s{"settings $of $_"} = $v if $v ne ""; } }
for my $file (glob("$data/pc/*/backups")) {
	my ($of) = $file =~ m{([^/]+)/backups$}; open(my $list, "<", $file) or die;
	while (<$list>) { chomp; my @f = split(/\t/, $_, -1); $s{"backup $of $f[0]"} .= join("|", $f[1], $f[25] || 0); }
}
print $json->encode(\%s);
`

// backuppcMove has the copy of the package use the directories of the benchmark. Nothing is copied while it runs.
const backuppcMove = `mkdir -p conf data/log data/pc data/pool data/cpool run www/cgi-bin && cp -r share/image www/image && cp share/conf/config.pl conf/config.pl &&
cp share/lib/realindex.cgi www/cgi-bin/index.cgi && chmod 755 www/cgi-bin/index.cgi && grep -rlE '/etc/backuppc|/var/lib/backuppc|/usr/share/backuppc|/run/backuppc' share conf www |
xargs sed -i "s|/etc/backuppc|$PWD/conf|g; s|/var/lib/backuppc|$PWD/data|g; s|/usr/share/backuppc|$PWD/share|g; s|/run/backuppc|$PWD/run|g; s|'/backuppc/image'|'/image'|g" &&
sed -i 's/^$Conf{BackupPCUserVerify} = 1/$Conf{BackupPCUserVerify} = 0/; s/^$Conf{BackupsDisable} = 0/$Conf{BackupsDisable} = 2/; s/^$Conf{WakeupSchedule} = .*/$Conf{WakeupSchedule} = [23.9];/' conf/config.pl &&
sed -i -E 's/^.Conf\{(SmbClient|NmbLookup|RrdTool|Sendmail|Ping6?|Bzip2|Ssh)Path\} *= .*/$Conf{\1Path} = undef;/' conf/config.pl`

func startBackupPC(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"backuppc", ""}, {"backuppc", ""}} // who is served by this machine is not asked
	if err := h.copyTree(ctx, "/usr/share/backuppc", "share"); err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "sh", "-c", backuppcMove); err != nil {
		return nil, err
	}
	hosts := "host        dhcp    user    moreUsers\n"
	var copies strings.Builder
	for i := range backuppcCopies {
		began := backuppcTime(i).Unix()
		fmt.Fprintf(&copies, "%d\tfull\t%d\t%d\t%d\t52428800\t0\t0\t0\t0\t0\t0\t0\t0\t3\t0\t0\t0\t\t1\tsmb\t0\t\t4.4.0\t10\t0\t\t\n", i, began, began+600, 40+i)
	}
	names := slices.Sorted(slices.Values(slices.Concat(backuppcSet, backuppcOld, backuppcGone)))
	for _, name := range names {
		hosts += name + " 0 farm\n"
		if err := h.write("data/pc/"+name+"/backups", copies.String()); err != nil {
			return nil, err
		}
		for i := range backuppcCopies {
			if err := h.write(fmt.Sprintf("data/pc/%s/%d/attrib_0", name, i), ""); err != nil {
				return nil, err
			}
		}
	}
	for name, text := range map[string]string{"conf/hosts": hosts, "read.pl": backuppcRead} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	daemon, err := h.serve(h.dir, nil, "share/bin/BackupPC")
	if err != nil {
		return nil, err
	}
	if err := daemon.up(ctx, h.has("run/BackupPC.sock")); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/cgi-bin/index.cgi", port)
	pages, err := h.serve(h.path("www"), []string{"TZ=UTC"}, "busybox", "httpd", "-f", "-p", fmt.Sprintf("127.0.0.1:%d", port), "-h", h.path("www"))
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		out, err := h.run(ctx, nil, "perl", "read.pl", h.path("conf"), h.path("data"))
		if err != nil {
			return nil, err
		}
		s := state{}
		return s, json.Unmarshal([]byte(out), &s)
	}
	return &site{url: url, accounts: accounts, state: read}, pages.up(ctx, answers(url))
}

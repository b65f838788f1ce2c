# Keeps a Postgres in the directory that it is given: does what each line of its input
# says and answers "done". When the input ends, because the test process has, however
# that came about, it stops the server and takes the directory away.
dir=$1
settings="-k $dir -c listen_addresses= -c fsync=off -c full_page_writes=off -c max_connections=200"

init() {
  initdb --no-sync --auth=trust --encoding=UTF8 --locale=C --username=reprise -D "$dir/data" </dev/null >>"$dir/log" 2>&1
}
control() { pg_ctl -D "$dir/data" -w -l "$dir/log" "$@" </dev/null >>"$dir/log" 2>&1; }

while read -r what; do
  case $what in
    init) init ;;
    start) control -t 60 -o "$settings" start ;;
    stop) control -m fast stop ;;
    crash) control -m immediate stop ;;
  esac && echo done || echo failed
done
[ ! -f "$dir/data/postmaster.pid" ] || control -m immediate stop
rm -rf "$dir"

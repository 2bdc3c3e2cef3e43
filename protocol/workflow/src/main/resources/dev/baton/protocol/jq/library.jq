# Library functions written in jq. Each can access only its parameters and the built-in functions.
def error(msg): msg | error;
def map(f): [.[] | f];
def select(f): if f then . else empty end;
def recurse(f): def r: ., (f | r); r;
def recurse(f; cond): def r: ., (f | select(cond) | r); r;
def recurse: recurse(.[]?);
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def finites: select(isfinite);
def normals: select(isnormal);
def isvalid(f): try (f | true) catch false;

def sort_by(f): _sort_by(map([f]));
def group_by(f): _group_by(map([f]));
def unique_by(f): _group_by(map([f])) | map(.[0]);
def max_by(f): _max_by(map([f]));
def min_by(f): _min_by(map([f]));
def add(f): reduce f as $x (null; . + $x);
def with_entries(f): to_entries | map(f) | from_entries;
def map_values(f): .[] |= f;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $y | [$x] + $y end;
def combinations(n): . as $dot | [range(n) | $dot] | combinations;

def _assign(paths; $v): _set([path(paths)]; $v);
def _modify(paths; update):
  reduce path(paths) as $p ([., []];
    . as [$x, $gone]
    | label $out
    | ($x | getpath($p) | update | . as $v | [($x | setpath($p; $v)), $gone] | ., break $out),
      [$x, $gone + [$p]])
  | . as [$x, $gone] | $x | delpaths($gone);
def _plus_each(paths; $v): _plus([path(paths)]; $v);
def _minus_each(paths; $v): _minus([path(paths)]; $v);
def _times_each(paths; $v): _times([path(paths)]; $v);
def _divide_each(paths; $v): _divide([path(paths)]; $v);
def _modulo_each(paths; $v): _modulo([path(paths)]; $v);
def _alternative_each(paths; $v): _alternative([path(paths)]; $v);
def del(f): delpaths([path(f)]);
def paths: path(recurse) | select(length > 0);
def paths(f): path(recurse | select(f)) | select(length > 0);
def leaf_paths: paths(scalars);
def pick(paths): . as $in | reduce path(paths) as $p (null; setpath($p; $in | getpath($p)));

def while(cond; update): def w: if cond then ., (update | w) else empty end; w;
def until(cond; next): def u: if cond then . else (next | u) end; u;
def repeat(f): def r: f, r; r;
def first(f): label $out | f | ., break $out;
def isempty(f): label $out | (f | false, break $out), true;
def all(f; cond): isempty(first(f | cond | select(not)));
def any(f; cond): isempty(first(f | cond | select(.))) | not;
def all(f): all(.[]; f);
def any(f): any(.[]; f);
def all: all(.[]; .);
def any: any(.[]; .);
def limit($n; f):
  if $n > 0 then label $out | foreach f as $x ($n; . - 1; $x, if . <= 0 then break $out else empty end)
  elif $n == 0 then empty
  else error("limit doesn't support negative count") end;
def skip($n; f):
  if $n > 0 then foreach f as $x ($n; . - 1; if . < 0 then $x else empty end)
  elif $n == 0 then f
  else error("skip doesn't support negative count") end;
def first: .[0];
def last: .[-1];
def last(f): reduce f as $x ([]; [$x]) | .[];
def nth($n): .[$n];
def nth($n; f): if $n < 0 then error("nth doesn't support negative indices") else first(skip($n; f)) end;

def truncate_stream(f): . as $n | null | f | . as $x | if (.[0] | length) > $n then setpath([0]; $x[0][$n:]) else empty end;
def fromstream(f):
  {x: null, e: false} as $init
  | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);

def match($re): _match($re; null; false) | .[];
def match($re; $flags): _match($re; $flags; false) | .[];
def test($re): _match($re; null; true);
def test($re; $flags): _match($re; $flags; true);
def capture($re): match($re) | _captures;
def capture($re; $flags): match($re; $flags) | _captures;
def scan($re; $flags): match($re; "g" + $flags) | if (.captures | length) > 0 then [.captures[].string] else .string end;
def scan($re): scan($re; null);
def split($re; $flags): _splits($re; $flags);
def splits($re; $flags): _splits($re; $flags)[];
def splits($re): _splits($re; null)[];
def sub($re; f; $flags): _sub($re; f; $flags);
def sub($re; f): _sub($re; f; null);
def gsub($re; f; $flags): _sub($re; f; "g" + $flags);
def gsub($re; f): _sub($re; f; "g");
def ascii: [.] | implode;

def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: todate;
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;

def INDEX(f; key): reduce f as $row ({}; .[$row | key | tostring] |= $row);
def INDEX(key): INDEX(.[]; key);
def JOIN($idx; key): [.[] | [., $idx[key]]];
def JOIN($idx; f; key): f | [., $idx[key]];
def JOIN($idx; f; key; join): f | [., $idx[key]] | join;
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
# `.[] |= f`, without a path for each element.
def _modify_each(f):
  if type == "array" then [.[] | first(f)]
  elif type == "object" then [to_entries[] | .key as $k | .value | first(f) | {key: $k, value: .}] | from_entries
  else .[] end;

# What the whole workspace is, as programs that know nothing of Baton see it. Sourced by the steps of
# rewrite.yaml, which then call `record begin` and `record end`. LEDGER is a folder outside the system: it
# gets a line "STEP EPOCH POSITION DIGEST" in `ledger`, and what the digest is of in STEP.POSITION.EPOCH.

echo "$BATON_STEP_ID $BATON_EPOCH enter -" >> "$LEDGER/ledger"

record() (
  to="$LEDGER/$BATON_STEP_ID.$1.$BATON_EPOCH"
  # No pipes: when one of these is killed, there must be no digest of what the others have made of it.
  find . -printf '%P %y %m %T@ %n %l\0' > "$to.found"
  sort -z "$to.found" > "$to.sorted"
  tr '\n\0' '?\n' < "$to.sorted" > "$to.parts"
  find . -type f -print0 > "$to.found"
  sort -z "$to.found" > "$to.sorted"
  xargs -0 -r sha256sum < "$to.sorted" >> "$to.parts"
  find . -type f -links +1 -printf '%i %P\0' > "$to.found"
  sort -z -k 2 "$to.found" > "$to.sorted"
  tr '\n\0' '?\n' < "$to.sorted" > "$to.found"
  # Which names are one file's; its number alone may change.
  awk '{ i = $1; sub(/^[0-9]+ /, ""); if (!(i in first)) first[i] = $0; print "same file: " first[i] " = " $0 }' \
    "$to.found" >> "$to.parts"
  for repository in repo origin.git; do
    if [ -d $repository ]; then
      looked_at $repository >> "$to.parts" 2>&1
    fi
  done
  rm "$to.found" "$to.sorted"
  mv "$to.parts" "$to"
  sum=$(sha256sum "$to")
  echo "$BATON_STEP_ID $BATON_EPOCH $1 ${sum%% *}" >> "$LEDGER/ledger"
)

looked_at() (
  cd "$1"
  # What is looked at must not be changed by that.
  export GIT_OPTIONAL_LOCKS=0
  echo "git $1"
  git fsck --full --strict --no-progress || echo "fsck: $?"
  git for-each-ref || echo "for-each-ref: $?"
  if [ -d .git ]; then
    git status --porcelain=v2 --branch --ignored --untracked-files=all || echo "status: $?"
    git stash list || echo "stash: $?"
    git diff --cached --raw || echo "diff --cached: $?"
    git -c diff.autoRefreshIndex=false diff || echo "diff: $?"
    git log --oneline origin/main..main || echo "log: $?"
  fi
)

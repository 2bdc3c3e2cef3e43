# Records the state of the whole workspace, as system tools see it. Sourced by the steps of rewrite.yaml,
# which then call `record begin` and `record end`. LEDGER is a folder outside the system: its file `ledger`
# gets a line "STEP EPOCH POSITION DIGEST", and STEP.POSITION.EPOCH gets the content of the digest.

echo "$BATON_STEP_ID $BATON_EPOCH enter -" >> "$LEDGER/ledger"

record() (
  to="$LEDGER/$BATON_STEP_ID.$1.$BATON_EPOCH"
  # No pipes: if one of these commands is killed, no digest of a partial result must be recorded.
  find . -printf '%P %y %m %T@ %n %l\0' > "$to.found"
  sort -z "$to.found" > "$to.sorted"
  tr '\n\0' '?\n' < "$to.sorted" > "$to.parts"
  find . -type f -print0 > "$to.found"
  sort -z "$to.found" > "$to.sorted"
  xargs -0 -r sha256sum < "$to.sorted" >> "$to.parts"
  find . -type f -links +1 -printf '%i %P\0' > "$to.found"
  sort -z -k 2 "$to.found" > "$to.sorted"
  tr '\n\0' '?\n' < "$to.sorted" > "$to.found"
  # Names of the same file; only its inode number may change.
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
  # Recording must not change the repository.
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

/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.restore.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compares two directories with system tools. */
public final class DirectoryComparator {
  public static final boolean HAS_RSYNC = Files.isExecutable(Path.of("/usr/bin/rsync"));

  /** Name prefix of directories that are too deep for rsync, or for any path. */
  static final String BELOW = "below-";

  private DirectoryComparator() {}

  /**
   * Returns the differences; empty if there are none.
   *
   * @param leftOut patterns of names that must not be in the second directory
   * @param setuid whether files are expected to have their setuid and setgid bits, and directories
   *     setuid
   */
  public static String of(
      ScratchDirectory scratch, String a, String b, List<String> leftOut, boolean setuid)
      throws IOException, InterruptedException {
    StringBuilder found = new StringBuilder();
    found.append(difference(deep(scratch, a, setuid), deep(scratch, b, setuid)));
    for (String each : leftOut) {
      found.append(scratch.run("find %s -path '*/%s'".formatted(b, each)));
    }
    if (!HAS_RSYNC) {
      return found
          + difference(
              describe(scratch.resolve(a), leftOut, setuid),
              describe(scratch.resolve(b), leftOut, setuid));
    }
    String excludes = " --exclude='" + BELOW + "*'";
    for (String each : leftOut) {
      excludes += " --exclude='" + each + "'";
    }
    // Modification times to the nanosecond.
    String rsync = "rsync -aHAXcn --modify-window=-1 --delete --out-format='%i %n%L'";
    String bits = setuid ? "" : " --chmod=Fug-s,Du-s";
    return found + scratch.run(rsync + bits + excludes + " " + a + "/ " + b + "/");
  }

  /** Compares deep directories from within. */
  private static List<String> deep(ScratchDirectory scratch, String root, boolean setuid)
      throws IOException, InterruptedException {
    String script =
        """
        cd %s
        for tree in */deep-*; do
          test -d "$tree" || continue
          (
            echo "$tree" | head -c 10
            cd "$tree" && while cd deep-* 2>/dev/null; do :; done
            find %s* ! -name 'unreadable-*' ! -path '*closed-*/*' -printf '%%p|%%y|%s|%%T@|%%l|%%n|%%U|%%G\\0' | sort -z | tr '\\0' '\\n'
            find %s* -type f ! -name 'unreadable-*' ! -path '*closed-*/*' -print0 | sort -z | xargs -0 -r sha256sum
          )
        done
        """;
    String mode = setuid ? "%m" : "";
    return scratch.run(script.formatted(root, BELOW, mode, BELOW)).lines().toList();
  }

  private static String difference(List<String> a, List<String> b) {
    List<String> onlyA = new ArrayList<>(a);
    onlyA.removeAll(b);
    List<String> onlyB = new ArrayList<>(b);
    onlyB.removeAll(a);
    return onlyA.isEmpty() && onlyB.isEmpty() ? "" : "- " + onlyA + "\n+ " + onlyB;
  }

  /**
   * Describes everything that a restore must preserve, without rsync: attributes by find, content
   * by sha256sum; neither access lists nor xattrs.
   */
  public static List<String> describe(Path root, boolean setuid)
      throws IOException, InterruptedException {
    return describe(root, List.of(), setuid);
  }

  private static List<String> describe(Path root, List<String> leftOut, boolean setuid)
      throws IOException, InterruptedException {
    StringBuilder wanted = new StringBuilder();
    for (String each : leftOut) {
      wanted.append(" ! -path '*/").append(each).append("'");
    }
    // rsync checks which bits were dropped.
    String mode = setuid ? "%m" : "";
    String listing =
        ScratchDirectory.run(
            root,
            "find . ! -type s ! -type p%s -printf '%%P|%%y|%s|%%T@|%%l|%%U|%%G|%%i|%%n|%%s\\0'"
                .formatted(wanted, mode));
    Map<String, String> firstByInode = new HashMap<>();
    List<String> lines = new ArrayList<>(List.of(listing.split("\0")));
    lines.sort(null);
    List<String> described = new ArrayList<>();
    for (String line : lines) {
      String[] parts = line.split("\\|");
      String name = parts[0];
      String group = firstByInode.computeIfAbsent(parts[7], inode -> name);
      String same = parts[1].equals("d") ? "" : "same as " + group + "|" + parts[8] + parts[9];
      described.add(String.join("|", List.of(parts).subList(0, 7)) + same);
    }
    // Deeper levels are compared from within: no path reaches them.
    String sums =
        "find . -name '%s*' -prune -o -type f%s -print0 | sort -z | xargs -0 -r sha256sum"
            .formatted(BELOW, wanted);
    described.addAll(ScratchDirectory.run(root, sums).lines().toList());
    return described;
  }
}

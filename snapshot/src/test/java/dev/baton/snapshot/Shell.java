/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The system's tools: they know nothing of this library, so they can judge it. */
final class Shell {
  private Shell() {}

  /** Standard output, one char per byte. */
  static String run(Path directory, String script) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-ec", script).directory(directory.toFile());
    builder.environment().put("LC_ALL", "C");
    Process process = builder.redirectErrorStream(true).start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(script + " failed: " + output);
    }
    return output;
  }

  /** Everything about a tree that must survive, by find and sha256sum. */
  static List<String> describe(Path root) throws IOException, InterruptedException {
    String listing = run(root, "find . -printf '%p|%y|%m|%T@|%l|%i|%n|%s\\0'");
    Map<String, String> firstByInode = new HashMap<>();
    List<String> lines = new ArrayList<>();
    for (String line : listing.split("\0")) {
      lines.add(line);
    }
    lines.sort(null);
    List<String> described = new ArrayList<>();
    for (String line : lines) {
      String[] parts = line.split("\\|");
      String name = parts[0];
      String group = firstByInode.computeIfAbsent(parts[5], inode -> name);
      boolean directory = parts[1].equals("d");
      described.add(
          String.join("|", name, parts[1], parts[2], parts[3], parts[4])
              + (directory ? "" : "|same as " + group + "|" + parts[6] + "|" + parts[7]));
    }
    described.add(run(root, "find . -type f -print0 | sort -z | xargs -0 -r sha256sum"));
    return described;
  }
}

/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.tree;

import dev.baton.benchmarks.measure.TimedCommand;
import dev.baton.standalone.process.DetachedCommandFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Creates a repository in a tree that resembles a repository in use: packed history, loose objects.
 */
record GitHistoryWriter(Path tree, Path log, SyntheticVocabulary lexicon, SplittableRandom random) {
  private static final int COMMITS = 3;
  private static final String FIRST = "2026-01-05T09:00:00Z";

  /**
   * Commits the tracked folder's files, then changes and commits some of them, then leaves some
   * changes staged and others unstaged. Does nothing if git is missing.
   *
   * @param files the tracked files
   * @param log gets git's output
   * @return whether git is present
   */
  static boolean write(
      Path tree, List<Path> files, Path log, SyntheticVocabulary lexicon, SplittableRandom random)
      throws IOException, InterruptedException {
    if (DetachedCommandFactory.onPath("git").isEmpty()) {
      return false;
    }
    new GitHistoryWriter(tree, log, lexicon, random).write(files);
    return true;
  }

  private void write(List<Path> files) throws IOException, InterruptedException {
    Files.writeString(tree.resolve(".gitignore"), "/*\n!/" + SyntheticFolderLayout.TRACKED + "\n");
    git("init", "--quiet", "--initial-branch=main", ".");
    git("config", "gc.auto", "0");
    git("config", "pack.threads", "1");
    git("add", SyntheticFolderLayout.TRACKED);
    git("commit", "--quiet", "--message=start");
    git("repack", "-a", "-d", "--quiet");
    for (int i = 0; i < COMMITS; i++) {
      change(files, Math.max(2, files.size() / 150));
      git("commit", "--quiet", "--all", "--message=" + lexicon.word(random));
    }
    change(files, 3);
    git("add", "--update");
    change(files, 3);
  }

  private void change(List<Path> files, int count) throws IOException {
    List<Path> changed = new ArrayList<>();
    while (changed.size() < Math.min(count, files.size())) {
      Path file = files.get(random.nextInt(files.size()));
      if (!changed.contains(file)) {
        changed.add(file);
        String line = "// " + lexicon.name(0, random) + " " + lexicon.word(random) + "\n";
        Files.writeString(file, line, StandardOpenOption.APPEND);
      }
    }
  }

  private void git(String... arguments) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("git"));
    line.addAll(List.of(arguments));
    Map<String, String> environment = new HashMap<>();
    environment.put("GIT_CONFIG_GLOBAL", "/dev/null");
    environment.put("GIT_CONFIG_NOSYSTEM", "1");
    for (String who : List.of("AUTHOR", "COMMITTER")) {
      environment.put("GIT_" + who + "_NAME", "benchmark");
      environment.put("GIT_" + who + "_EMAIL", "benchmark@example.org");
      environment.put("GIT_" + who + "_DATE", FIRST);
    }
    new TimedCommand(line, environment, tree, log).run();
  }
}

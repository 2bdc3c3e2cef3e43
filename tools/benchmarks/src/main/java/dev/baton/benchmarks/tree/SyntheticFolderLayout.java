/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.tree;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Random nested folders, as deep as in code bases.
 *
 * @param paths relative to the tree's root, each after its parent
 * @param topics of the folder at the same index
 */
record SyntheticFolderLayout(List<Path> paths, List<Integer> topics) {
  /** The folder tracked by the tree's own repository; two fifths of the folders. */
  static final String TRACKED = "src";

  private static final int DEEPEST = 9;
  private static final List<String> TOP = List.of(TRACKED, TRACKED, "libs", "docs", "fixtures");

  static SyntheticFolderLayout of(int count, SyntheticVocabulary lexicon, SplittableRandom random) {
    List<Path> paths = new ArrayList<>();
    List<Integer> topics = new ArrayList<>();
    Map<Path, List<Integer>> below = new HashMap<>();
    Set<Path> taken = new HashSet<>();
    for (Path top : TOP.stream().distinct().map(Path::of).toList()) {
      below.put(top, new ArrayList<>(List.of(paths.size())));
      paths.add(top);
      topics.add(0);
    }
    while (paths.size() < Math.max(count, 10)) {
      Path top = Path.of(TOP.get(random.nextInt(TOP.size())));
      List<Integer> near = Objects.requireNonNull(below.get(top));
      int above = near.get(random.nextInt(near.size()));
      Path folder = paths.get(above).resolve(lexicon.word(random));
      if (folder.getNameCount() <= DEEPEST && taken.add(folder)) {
        near.add(paths.size());
        paths.add(folder);
        // Adjacent folders have similar topics.
        topics.add(random.nextInt(4) == 0 ? random.nextInt(1 << 16) : topics.get(above));
      }
    }
    return new SyntheticFolderLayout(List.copyOf(paths), List.copyOf(topics));
  }
}

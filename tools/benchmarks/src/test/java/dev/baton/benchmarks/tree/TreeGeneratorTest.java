/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.benchmarks.measure.DiskUsage;
import dev.baton.benchmarks.tree.SourceTextGenerator.Flavour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TreeGeneratorTest {
  private static final TreeShape SHAPE = new TreeShape(7, 300);

  @Test
  void shouldMakeTheSameTreeOfTheSameShape(@TempDir Path folder) throws Exception {
    Path first = TreeCache.get(folder.resolve("a"), SHAPE, line -> {});
    Path second = TreeCache.get(folder.resolve("b"), SHAPE, line -> {});
    Path other = TreeCache.get(folder.resolve("b"), new TreeShape(8, 300), line -> {});

    assertThat(content(first)).isEqualTo(content(second)).isNotEqualTo(content(other));
    assertThat(TreeCache.get(folder.resolve("a"), SHAPE, line -> {})).isEqualTo(first);
  }

  @Test
  void shouldHaveTheSizesThatWereAskedFor(@TempDir Path folder) throws Exception {
    TreeShape shape = new TreeShape(7, 1_000);
    Path tree = TreeCache.get(folder, shape, line -> {});

    DiskUsage use = DiskUsage.of(tree);
    assertThat(use.files()).isBetween(900L, 1_300L);
    assertThat(use.bytes()).isBetween(shape.bytes() * 8 / 10, shape.bytes() * 12 / 10);
    assertThat(use.folders()).isGreaterThan(100);
    assertThat(use.others()).isPositive();
    // No leftovers of an interrupted generation.
    try (Stream<Path> beside = Files.list(folder)) {
      assertThat(beside).containsExactly(tree);
    }
  }

  @ParameterizedTest
  @EnumSource(Flavour.class)
  void shouldCompressLikeSource(Flavour flavour) {
    byte[] text =
        SourceTextGenerator.of(
            new SyntheticVocabulary(1), flavour, 3, 100_000, new SplittableRandom(1));

    assertThat(text).hasSize(100_000).endsWith('\n');
    assertThat((double) text.length / deflated(text)).isBetween(2.5, 6.0);
  }

  @Test
  void shouldMakeTheSameChangesOfTheSameSeed(@TempDir Path folder) throws Exception {
    Path first = TreeCache.get(folder.resolve("a"), SHAPE, line -> {});
    Path second = TreeCache.get(folder.resolve("b"), SHAPE, line -> {});
    Map<Path, Integer> before = content(first);

    int changed = TreeMutator.apply(first, 9, 5);
    TreeMutator.apply(second, 9, 5);

    Map<Path, Integer> after = content(first);
    assertThat(changed).isEqualTo(9);
    assertThat(after).isEqualTo(content(second));
    assertThat(after.keySet()).isEqualTo(before.keySet());
    assertThat(
            after.entrySet().stream().filter(it -> !it.getValue().equals(before.get(it.getKey()))))
        .hasSizeGreaterThanOrEqualTo(9);
    assertThat(TreeMutator.apply(first, 1_000, 6)).isLessThanOrEqualTo(300);
  }

  private static Map<Path, Integer> content(Path tree) throws IOException {
    Map<Path, Integer> content = new TreeMap<>();
    try (Stream<Path> all = Files.walk(tree)) {
      for (Path path : all.filter(Files::isRegularFile).toList()) {
        Path name = tree.relativize(path);
        // Git's index contains inode numbers.
        if (!name.equals(Path.of(".git/index"))) {
          content.put(name, Arrays.hashCode(Files.readAllBytes(path)));
        }
      }
    }
    return content;
  }

  private static int deflated(byte[] bytes) {
    try (Deflater deflater = new Deflater()) {
      deflater.setInput(bytes);
      deflater.finish();
      return deflater.deflate(new byte[bytes.length + 100]);
    }
  }
}

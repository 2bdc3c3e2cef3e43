/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.tree;

import dev.baton.benchmarks.tree.SourceTextGenerator.Flavour;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Writes a tree: mostly source-like text of log-normal sizes, a few large binaries, links, a
 * repository. No folder has a name that captures exclude.
 */
final class TreeGenerator {
  private static final double MEDIAN_BYTES = 4_500;
  private static final double SIGMA = 1.15;
  private static final int LARGEST_TEXT = 400_000;
  private static final long NEWEST = Instant.parse("2026-02-01T00:00:00Z").getEpochSecond();
  private static final int TWO_YEARS = 63_072_000;

  private final TreeShape shape;
  private final Path tree;
  private final SyntheticVocabulary lexicon;
  private final SplittableRandom random;
  private final List<Path> texts = new ArrayList<>();
  private final Consumer<String> progress;

  private TreeGenerator(TreeShape shape, Path tree, Consumer<String> progress) {
    this.shape = shape;
    this.tree = tree;
    this.lexicon = new SyntheticVocabulary(shape.seed());
    this.random = new SplittableRandom(shape.seed() ^ 0x7472_6565L);
    this.progress = progress;
  }

  /**
   * @param tree must be an empty folder
   * @param log gets git's output
   */
  static void write(TreeShape shape, Path tree, Path log, Consumer<String> progress)
      throws IOException, InterruptedException {
    new TreeGenerator(shape, tree, progress).write(log);
  }

  private void write(Path log) throws IOException, InterruptedException {
    SyntheticFolderLayout folders = SyntheticFolderLayout.of(shape.folders(), lexicon, random);
    for (Path folder : folders.paths()) {
      Files.createDirectory(tree.resolve(folder));
    }
    writeTexts(folders);
    writeBinaries();
    writeLinks(folders);
    for (Path text : texts) {
      Files.setLastModifiedTime(text, anyTime());
    }
    List<Path> tracked =
        texts.stream()
            .filter(file -> file.startsWith(tree.resolve(SyntheticFolderLayout.TRACKED)))
            .filter(Files::isWritable)
            .toList();
    progress.accept("committing " + tracked.size() + " of its files");
    if (!GitHistoryWriter.write(tree, tracked, log, lexicon, random)) {
      progress.accept("git is missing: the tree has no repository");
    }
    for (Path folder : folders.paths().reversed()) {
      Files.setLastModifiedTime(tree.resolve(folder), anyTime());
    }
  }

  private void writeTexts(SyntheticFolderLayout folders) throws IOException {
    int[] sizes = sizes();
    byte[] last = new byte[0];
    for (int i = 0; i < sizes.length; i++) {
      // A few folders have very many files.
      int at =
          random.nextInt(20) == 0
              ? random.nextInt(Math.min(3, folders.paths().size()))
              : random.nextInt(folders.paths().size());
      Flavour flavour = Flavour.any(random);
      Path folder = tree.resolve(folders.paths().get(at));
      String stem = lexicon.name(folders.topics().get(at), random);
      Path file = folder.resolve(stem + "-" + Integer.toString(i, 36) + flavour.suffix);
      // Every tree has some files that are copies of others.
      if (random.nextInt(50) > 0) {
        last = SourceTextGenerator.of(lexicon, flavour, folders.topics().get(at), sizes[i], random);
      }
      Files.write(file, last);
      int mode = random.nextInt(200);
      if (mode < 3) {
        Files.setPosixFilePermissions(
            file, PosixFilePermissions.fromString(mode == 0 ? "r--r--r--" : "rwxr-xr-x"));
      }
      texts.add(file);
      if ((i + 1) % 20_000 == 0) {
        progress.accept((i + 1) + " of " + sizes.length + " texts written");
      }
    }
  }

  /** Draws log-normal sizes, one in a hundred empty, then scales them to their required sum. */
  private int[] sizes() {
    Random normal = new Random(shape.seed());
    double[] wished = new double[shape.texts()];
    double sum = 0;
    for (int i = 0; i < wished.length; i++) {
      double size = MEDIAN_BYTES * Math.exp(SIGMA * normal.nextGaussian());
      wished[i] = normal.nextInt(100) == 0 ? 0 : Math.clamp(size, 20, LARGEST_TEXT);
      sum += wished[i];
    }
    int[] sizes = new int[wished.length];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = (int) Math.round(wished[i] * shape.textBytes() / sum);
    }
    return sizes;
  }

  private void writeBinaries() throws IOException {
    Path assets = Files.createDirectory(tree.resolve("assets"));
    int[] compressible = {0, 50, 100};
    for (int percent : compressible) {
      Path file = assets.resolve("asset-" + percent + ".bin");
      BinaryFileWriter.write(file, shape.binaryBytes(), percent, random.split());
      texts.add(file);
    }
  }

  private void writeLinks(SyntheticFolderLayout folders) throws IOException {
    for (int i = 0; i < shape.links(); i++) {
      Path folder = tree.resolve(folders.paths().get(random.nextInt(folders.paths().size())));
      Path target = texts.get(random.nextInt(texts.size()));
      switch (i % 10) {
        case 0 -> Files.createSymbolicLink(folder.resolve("gone-" + i), Path.of("no/such/file"));
        case 1 -> hardLink(folder.resolve("same-" + i), target);
        default -> Files.createSymbolicLink(folder.resolve("link-" + i), folder.relativize(target));
      }
    }
  }

  private void hardLink(Path link, Path target) throws IOException {
    try {
      Files.createLink(link, target);
    } catch (UnsupportedOperationException | FileSystemException e) {
      progress.accept("hard links are not supported: " + e.getMessage());
    }
  }

  private FileTime anyTime() {
    return FileTime.from(
        Instant.ofEpochSecond(NEWEST - random.nextInt(TWO_YEARS), random.nextInt(1_000_000_000)));
  }
}

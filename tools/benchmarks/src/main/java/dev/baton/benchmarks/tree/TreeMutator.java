/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.tree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Changes files in ways typical for people and programs, in turn: appends a few lines, overwrites
 * some bytes, replaces the file. The same seed changes the same files of the same tree in the same
 * way.
 */
public final class TreeMutator {
  private static final int LARGEST = 1 << 20;
  private static final int APPENDED = 200;
  private static final int OVERWRITTEN = 100;

  private TreeMutator() {}

  /**
   * Changes this number of files, or all if there are fewer. Skips files of a repository, read-only
   * files, and files above 1 MiB.
   *
   * @return number of changed files
   */
  public static int apply(Path tree, int count, long seed) throws IOException {
    List<Path> files = candidates(tree);
    Collections.shuffle(files, new Random(seed));
    SyntheticVocabulary lexicon = new SyntheticVocabulary(seed);
    SplittableRandom random = new SplittableRandom(seed);
    int changed = Math.min(count, files.size());
    for (int i = 0; i < changed; i++) {
      change(files.get(i), i % 3, lexicon, random);
    }
    return changed;
  }

  private static List<Path> candidates(Path tree) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return folder.endsWith(".git")
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile() && attributes.size() <= LARGEST && writable(file)) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    Collections.sort(files);
    return files;
  }

  private static boolean writable(Path file) {
    try {
      // A superuser may write every file: the file's mode decides.
      return (((Integer) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS)) & 0200)
              != 0
          && Files.isWritable(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void change(
      Path file, int how, SyntheticVocabulary lexicon, SplittableRandom random) throws IOException {
    switch (how) {
      case 0 -> Files.write(file, text(APPENDED, lexicon, random), StandardOpenOption.APPEND);
      case 1 -> {
        long size = Files.size(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          long at = size <= OVERWRITTEN ? 0 : random.nextLong(size - OVERWRITTEN);
          channel.write(ByteBuffer.wrap(text(OVERWRITTEN, lexicon, random)), at);
        }
      }
      default -> {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.copy(file, next, StandardCopyOption.COPY_ATTRIBUTES);
        Files.write(next, text((int) Files.size(file) + 1, lexicon, random));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  private static byte[] text(int length, SyntheticVocabulary lexicon, SplittableRandom random) {
    return SourceTextGenerator.of(
        lexicon, SourceTextGenerator.Flavour.CODE, random.nextInt(1 << 16), length, random);
  }
}

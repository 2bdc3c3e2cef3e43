/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes a tree with every oddity, the same one for the same seed. */
final class RandomTree {
  private static final int[] FILE_MODES = {0644, 0755, 0600, 0400, 0444, 01644, 0640, 0000, 0200};
  private static final int[] DIR_MODES = {0755, 0700, 0500, 01777, 0750, 0300};
  private final Random random;
  private final List<Path> directories = new ArrayList<>();
  private final List<Path> files = new ArrayList<>();

  private RandomTree(long seed) {
    random = new Random(seed);
  }

  static void make(Path root, long seed) throws IOException {
    RandomTree tree = new RandomTree(seed);
    Files.createDirectory(root);
    tree.directories.add(root);
    int count = 5 + tree.random.nextInt(60);
    for (int i = 0; i < count; i++) {
      tree.entry(i);
    }
    tree.settle();
  }

  private void entry(int number) throws IOException {
    Path parent = directories.get(random.nextInt(directories.size()));
    Path path = parent.resolve(RawNames.toPath(name(number)));
    int kind = random.nextInt(10);
    if (kind < 2) {
      directories.add(Files.createDirectory(path));
    } else if (kind == 2) {
      Files.createSymbolicLink(path, RawNames.toPath(target()));
      Attributes.setMtime(path, time());
    } else if (kind == 3 && !files.isEmpty()) {
      Files.createLink(path, files.get(random.nextInt(files.size())));
    } else {
      byte[] content =
          new byte[random.nextInt(8) == 0 ? random.nextInt(300_000) : random.nextInt(600)];
      random.nextBytes(content);
      files.add(Files.write(path, content));
    }
  }

  private String name(int number) {
    String odd =
        switch (random.nextInt(9)) {
          case 0 -> "é-日本";
          case 1 -> "line\nbreak\t'\"\\";
          case 2 -> " space ";
          case 3 -> "x".repeat(240);
          case 4 -> "-rf *";
          case 5 -> ".hidden";
          case 6 -> "a+b=c:d%2f";
          case 7 -> "raw";
          default -> "plain.txt";
        };
    String raw = RawNames.toRaw(odd);
    return (raw.equals("raw") ? "\u00ff\u0080\u00c3(" : raw) + number;
  }

  private String target() {
    return switch (random.nextInt(5)) {
      case 0 -> "nowhere";
      case 1 -> "../..//../etc/passwd".replace("//", "/");
      case 2 -> "/tmp/";
      case 3 -> "\u00ff\u00fe/x";
      default -> "y".repeat(300);
    };
  }

  private Instant time() {
    return Instant.ofEpochSecond(random.nextLong(-100_000L, 2_000_000_000L), 0)
        .plusNanos(random.nextBoolean() ? random.nextInt(1_000_000_000) : 0);
  }

  private void settle() throws IOException {
    for (Path file : files) {
      setTime(file);
      Attributes.setMode(file, pick(FILE_MODES));
    }
    for (Path directory : directories.reversed()) {
      setTime(directory);
      Attributes.setMode(
          directory, directory.equals(directories.getFirst()) ? 0755 : pick(DIR_MODES));
    }
  }

  private void setTime(Path path) throws IOException {
    Instant time = time();
    Attributes.setMtime(
        path, time.getEpochSecond() < 0 ? Instant.ofEpochSecond(time.getEpochSecond()) : time);
  }

  private int pick(int[] modes) {
    // Half of all are the usual one; an ordinary user could not check the unreadable ones with find
    // and sha256sum.
    int mode = random.nextBoolean() ? modes[0] : modes[random.nextInt(modes.length)];
    return Superuser.IS ? mode : mode | (modes == DIR_MODES ? 0500 : 0400);
  }
}

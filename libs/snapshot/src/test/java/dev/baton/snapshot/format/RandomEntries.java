/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Generates entries of every kind with values at and between their bounds. */
final class RandomEntries {
  private final SplittableRandom random;

  RandomEntries(SplittableRandom random) {
    this.random = random;
  }

  /** Generates the entries of a directory: names are ascending. */
  List<NodeEntry> directory(int count) {
    TreeSet<String> names = new TreeSet<>();
    while (names.size() < count) {
      names.add(name());
    }
    return names.stream().map(this::entry).toList();
  }

  NodeEntry entry(String name) {
    return switch (random.nextInt(8)) {
      case 0 -> new NodeEntry.Directory(name, meta(), hash());
      case 1 ->
          new NodeEntry.Symlink(
              name, seconds(), random.nextInt(1_000_000_000), raw(1, chance(20) ? 4095 : 40, 1));
      case 2 -> new NodeEntry.HardLink(name, path());
      default -> file(name);
    };
  }

  private NodeEntry file(String name) {
    if (chance(10)) {
      return new NodeEntry.File(
          name, meta(), random.nextLong(Long.MAX_VALUE), new FileContent.Listed(hash()));
    }
    List<Extent> extents = extents(random.nextInt(chance(5) ? 17 : 3));
    long size = extents.stream().mapToLong(Extent::length).sum();
    return new NodeEntry.File(name, meta(), size, new FileContent.Inline(extents));
  }

  List<Extent> extents(int count) {
    List<Extent> extents = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean afterHole = !extents.isEmpty() && extents.getLast() instanceof Extent.Hole;
      extents.add(
          chance(4) && !afterHole
              ? new Extent.Hole(1 + random.nextLong(1L << 40))
              : new Extent.Data(hash(), 1 + random.nextInt(FastCdcChunker.MAX)));
    }
    return extents;
  }

  FileMetadata meta() {
    FileOwner owner =
        chance(5) ? new FileOwner(random.nextLong(FileOwner.MAX + 1), random.nextLong(1000)) : null;
    List<Xattr> xattrs = new ArrayList<>();
    if (chance(8)) {
      TreeSet<String> names = new TreeSet<>();
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        names.add(raw(1, 255, 1));
      }
      names.forEach(n -> xattrs.add(new Xattr(n, raw(0, chance(10) ? 65_536 : 20, 0))));
    }
    return new FileMetadata(
        random.nextInt(010000), seconds(), random.nextInt(1_000_000_000), owner, xattrs);
  }

  private long seconds() {
    return chance(20) ? random.nextLong() : 1_700_000_000L + random.nextInt(1_000_000);
  }

  private String path() {
    StringBuilder path = new StringBuilder(name());
    for (int i = random.nextInt(5); i > 0; i--) {
      path.append('/').append(name());
    }
    return path.toString();
  }

  String name() {
    String name = raw(1, chance(10) ? 255 : 12, 1).replace('/', '_');
    return name.equals(".") || name.equals("..") ? "dots" : name;
  }

  private String raw(int least, int most, int lowest) {
    int length = least + random.nextInt(most - least + 1);
    boolean anyByte = chance(3);
    StringBuilder raw = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      raw.append(
          (char) (anyByte ? lowest + random.nextInt(256 - lowest) : 'a' + random.nextInt(26)));
    }
    return raw.toString();
  }

  Hash hash() {
    return new Hash(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
  }

  private boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }
}

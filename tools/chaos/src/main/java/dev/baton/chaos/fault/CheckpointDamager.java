/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Damages the newest checkpoint of a run: deletes or truncates objects of its packs, or changes a
 * byte, in the folder of the object store. Other runs with the same content lose it, too.
 * Thread-safe.
 */
public final class CheckpointDamager {
  private final Path objects;
  private final NewestPackFinder finder;

  /** A way in which an object is damaged. */
  enum Damage {
    DELETED,
    TRUNCATED,
    BYTE_CHANGED
  }

  /**
   * @param objects the folder in which the object store keeps its objects
   */
  public CheckpointDamager(Path objects, NewestPackFinder finder) {
    this.objects = objects;
    this.finder = finder;
  }

  /**
   * Damages one or all packs of the newest checkpoint of a run.
   *
   * @param random selects the run, the packs and the damage
   * @return what was damaged; empty when there was nothing to damage
   */
  String damage(Random random) throws IOException, InterruptedException {
    List<String> packs = finder.find(random);
    if (packs.isEmpty()) {
      return "";
    }
    List<String> chosen =
        random.nextBoolean() ? packs : List.of(packs.get(random.nextInt(packs.size())));
    Damage[] ways = Damage.values();
    Damage damage = ways[random.nextInt(ways.length)];
    int damaged = 0;
    for (String pack : chosen) {
      for (Path object : objectsOf(pack)) {
        damaged += damage(object, damage, random) ? 1 : 0;
      }
    }
    return damaged == 0
        ? ""
        : "%d objects %s".formatted(damaged, damage.name().toLowerCase(Locale.ROOT));
  }

  /** Returns the objects of a pack. One that was stored again has a suffix. */
  private List<Path> objectsOf(String pack) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.find(objects, 16, (path, _) -> isOf(path, pack))) {
      files.sorted().forEach(found::add);
    }
    return found;
  }

  private static boolean isOf(Path path, String pack) {
    return Objects.toString(path.getFileName()).startsWith(pack);
  }

  private static boolean damage(Path object, Damage damage, Random random) throws IOException {
    try {
      byte[] bytes = Files.readAllBytes(object);
      if (bytes.length == 0) {
        return false;
      }
      switch (damage) {
        case DELETED -> Files.delete(object);
        case TRUNCATED -> Files.write(object, Arrays.copyOf(bytes, random.nextInt(bytes.length)));
        case BYTE_CHANGED -> {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
          Files.write(object, bytes);
        }
      }
      return true;
    } catch (NoSuchFileException gone) {
      // The store has collected it.
      return false;
    }
  }
}

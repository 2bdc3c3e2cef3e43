/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointDamagerTest {
  private static final String PACK = "ab".repeat(32);
  private static final byte[] CONTENT = {1, 2, 3, 4, 5, 6, 7, 8};

  @TempDir Path objects;

  @Test
  void shouldDamageTheObjectsOfThePackAndNoOther() throws Exception {
    for (int seed = 0; seed < 30; seed++) {
      Path pack = object("packs/" + PACK);
      Path again = object("packs/" + PACK + "-again");
      Path other = object("packs/" + "cd".repeat(32));
      CheckpointDamager damager = new CheckpointDamager(objects, _ -> List.of(PACK));

      assertThat(damager.damage(new Random(seed))).as("seed %d", seed).startsWith("2 objects ");

      assertThat(isIntact(pack)).as("seed %d", seed).isFalse();
      assertThat(isIntact(again)).as("seed %d", seed).isFalse();
      assertThat(isIntact(other)).as("seed %d", seed).isTrue();
    }
  }

  @Test
  void shouldSayThatThereIsNothingToDamage() throws Exception {
    assertThat(new CheckpointDamager(objects, _ -> List.of()).damage(new Random(1))).isEmpty();
    assertThat(new CheckpointDamager(objects, _ -> List.of(PACK)).damage(new Random(1))).isEmpty();
  }

  private Path object(String name) throws IOException {
    Path object = objects.resolve(name);
    Files.createDirectories(objects.resolve("packs"));
    return Files.write(object, CONTENT);
  }

  private static boolean isIntact(Path object) throws IOException {
    return Files.exists(object) && Arrays.equals(Files.readAllBytes(object), CONTENT);
  }
}

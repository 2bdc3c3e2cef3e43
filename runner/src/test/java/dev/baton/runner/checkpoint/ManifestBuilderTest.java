/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.trace.RunId;
import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ManifestBuilderTest {
  private static final Manifest.Run PLACE =
      new Manifest.Run("p", "w", "sha256:" + "0".repeat(64), 2, "step", 3);

  private static CapturedTree captured(int skipped) {
    return new CapturedTree(
        new Snapshot(Hash.parse("sha256:" + "1".repeat(64)), List.of(), 5, 1),
        0,
        1,
        IntStream.range(0, skipped)
            .mapToObj(i -> new SkippedEntry("f" + i, SkippedEntry.Reason.values()[0], "detail"))
            .toList(),
        List.of());
  }

  private interface Body {
    void contribute(ManifestDraft draft) throws IOException, InterruptedException;
  }

  private static CheckpointContributor named(String name, Body body) {
    return new CheckpointContributor() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public void contribute(ManifestDraft draft) throws IOException, InterruptedException {
        body.contribute(draft);
      }
    };
  }

  private static Manifest manifest(int skipped, CheckpointContributor... contributors)
      throws InterruptedException {
    ManifestBuilder description =
        new ManifestBuilder(RunId.next(), PLACE, CheckpointTrigger.MANUAL, List.of(contributors));
    return ManifestCodec.read(
        description.manifest(
            RunId.next(), Path.of("workspace"), Path.of("/seen"), captured(skipped), List.of()));
  }

  @Test
  void shouldGoOnWithoutAContributorThatFailsAndSaySo() throws Exception {
    ObjectNode slices = JsonNodeFactory.instance.objectNode();
    slices.putObject("plans").put("s", "think");

    Manifest manifest =
        manifest(
            0,
            named(
                "first",
                draft -> {
                  throw new IOException("no such thing");
                }),
            named(
                "second",
                draft -> {
                  throw new IllegalStateException();
                }),
            new SessionContributor(() -> slices));

    Map<String, Manifest.Contribution> outcomes = Objects.requireNonNull(manifest.contributors());
    assertThat(outcomes).containsOnlyKeys("workspace", "first", "second", "session");
    assertThat(outcomes.get("workspace")).isEqualTo(Manifest.Contribution.OK);
    assertThat(outcomes.get("first")).isEqualTo(Manifest.Contribution.failed("no such thing"));
    assertThat(outcomes.get("second"))
        .isEqualTo(Manifest.Contribution.failed("java.lang.IllegalStateException"));
    assertThat(outcomes.get("session")).isEqualTo(Manifest.Contribution.OK);
    assertThat(manifest.sessionState()).isEqualTo(slices);
    assertThat(manifest.run()).isEqualTo(PLACE);
  }

  @Test
  void shouldEndWithAnInterrupt() {
    assertThatThrownBy(
            () ->
                manifest(
                    0,
                    named(
                        "slow",
                        draft -> {
                          throw new InterruptedException();
                        })))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void shouldListTheFirstThousandOfWhatWasSkipped() throws Exception {
    Manifest manifest = manifest(1_500);

    assertThat(manifest.workspace().skipped()).hasSize(1_000);
    assertThat(manifest.workspace().skippedCount()).isEqualTo(1_500);
  }
}

/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.milestone.sidecar.MilestoneSidecar;
import dev.baton.milestone.sidecar.SidecarStore;
import dev.baton.protocol.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How sidecars and their index are written and read. */
class SidecarStoreTest {
  private static final String RUN = TestRepository.RUN;

  @TempDir Path root;

  private SidecarStore sidecars() {
    return new SidecarStore(root, SidecarStore.Format.BATON);
  }

  private static String sha(int number) {
    return "%040x".formatted(number);
  }

  private static MilestoneSidecar sidecar(int number, String run, int index) {
    return sidecar(number, run, index, null);
  }

  private static MilestoneSidecar sidecar(
      int number, String run, int index, @Nullable String patch) {
    return new MilestoneSidecar(
        MilestoneSidecar.SCHEMA_VERSION,
        sha(number),
        run,
        index,
        "Implement it",
        TestRepository.NOW,
        "tier0",
        List.of("npm install", "npm run lint"),
        null,
        patch);
  }

  @Test
  void shouldWriteMetadataToBatonCheckpointsShaJson() throws Exception {
    Path file = sidecars().write(sidecar(7, RUN, 3));

    assertThat(file).isEqualTo(root.resolve(".baton/checkpoints/" + sha(7) + ".json"));
    assertThat(Json.mapper().readTree(file.toFile()))
        .isEqualTo(
            Json.mapper()
                .readTree(
                    """
                    {"schema_version": "1.0.0", "sha": "%s", "run_id": "%s", "milestone_index": 3,
                     "milestone_title": "Implement it", "created_at": "2026-01-04T03:58:12.345Z", "tier": "tier0",
                     "verification_commands": ["npm install", "npm run lint"]}
                    """
                        .formatted(sha(7), RUN)));
    try (var files = Files.list(file.resolveSibling("."))) {
      assertThat(files.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder(sha(7) + ".json", "index.json");
    }
  }

  @Test
  void shouldCreateCheckpointsDirectoryIfMissing() throws Exception {
    assertThat(root.resolve(".baton")).doesNotExist();

    sidecars().write(sidecar(1, RUN, 0));

    assertThat(root.resolve(".baton/checkpoints")).isDirectory();
  }

  @Test
  void shouldFindNothingIfCheckpointsDirectoryDoesNotExist() throws Exception {
    assertThat(sidecars().list().latest(RUN)).isEmpty();
    assertThat(sidecars().indexProblems()).isEmpty();
  }

  @Test
  void shouldFindLatestCheckpointForRun() throws Exception {
    sidecars().write(sidecar(3, RUN, 2));
    sidecars().write(sidecar(1, RUN, 10));
    sidecars().write(sidecar(2, RUN, 1));

    assertThat(sidecars().list().latest(RUN)).map(MilestoneSidecar::sha).contains(sha(1));
  }

  @Test
  void shouldIgnoreCheckpointsFromOtherRuns() throws Exception {
    sidecars().write(sidecar(1, RUN, 0));
    sidecars().write(sidecar(2, TestRepository.OTHER, 9));

    assertThat(sidecars().list().latest(RUN)).map(MilestoneSidecar::milestoneIndex).contains(0);
    assertThat(sidecars().list().latest("nobody")).isEmpty();
  }

  @Test
  void shouldHandleMalformedJsonGracefullyAndNameIt() throws Exception {
    sidecars().write(sidecar(1, RUN, 0));
    Path folder = sidecars().folder();
    Files.writeString(folder.resolve(sha(2) + ".json"), "{\"sha\": ");
    Files.writeString(folder.resolve(sha(3) + ".json"), "[]");
    Files.writeString(
        folder.resolve(sha(4) + ".json"),
        Files.readString(folder.resolve(sha(1) + ".json")).replace("1.0.0", "2.0.0"));
    Files.createSymbolicLink(folder.resolve(sha(5) + ".json"), folder.resolve(sha(1) + ".json"));
    Files.writeString(
        folder.resolve(sha(6) + ".json"),
        Files.readString(folder.resolve(sha(1) + ".json")).replace(": 0", ": -1"));
    Files.writeString(folder.resolve(sha(8) + ".json.tmp"), "{");

    SidecarStore.Listing listing = sidecars().list();

    assertThat(listing.latest(RUN)).map(MilestoneSidecar::sha).contains(sha(1));
    assertThat(listing.malformed())
        .extracting(file -> file.file().substring(36), SidecarStore.Malformed::reason)
        .satisfiesExactlyInAnyOrder(
            file -> assertThat(file.toString()).contains("2.json").contains("not JSON"),
            file -> assertThat(file.toString()).contains("3.json").contains("not a JSON object"),
            file -> assertThat(file.toString()).contains("4.json").contains("'2.0.0'", "1.x"),
            file -> assertThat(file.toString()).contains("5.json").contains("not a regular file"),
            file -> assertThat(file.toString()).contains("6.json").contains("-1"));
    assertThat(listing.leftovers()).containsExactly(sha(8) + ".json.tmp");
  }

  @Test
  void shouldKeepAnIndexOfRunsAndTellWhereItIsWrong() throws Exception {
    sidecars().write(sidecar(1, RUN, 0));
    sidecars().write(sidecar(2, RUN, 1));
    sidecars().write(sidecar(3, TestRepository.OTHER, 0));
    Path index = sidecars().folder().resolve("index.json");
    assertThat(Json.mapper().readTree(index.toFile()).path("runs").path(RUN).toString())
        .isEqualTo("[\"%s\",\"%s\"]".formatted(sha(1), sha(2)));
    assertThat(sidecars().indexProblems()).isEmpty();

    Files.delete(sidecars().folder().resolve(sha(2) + ".json"));
    assertThat(sidecars().indexProblems())
        .singleElement()
        .asString()
        .contains(sha(2), "has no sidecar");
    Files.writeString(index, "oops");
    assertThat(sidecars().indexProblems()).singleElement().asString().contains("cannot be read");

    // The next milestone rebuilds it.
    sidecars().write(sidecar(4, RUN, 2));
    assertThat(sidecars().indexProblems()).isEmpty();
    sidecars().remove(sidecars().list().of(RUN), List.of());
    assertThat(sidecars().list().runs()).containsExactly(TestRepository.OTHER);
    assertThat(sidecars().indexProblems()).isEmpty();
  }

  @Test
  void shouldWriteAndRemoveNothingBeyondALink() throws Exception {
    Path elsewhere = Files.createDirectories(root.resolve("elsewhere"));
    Path tree = Files.createDirectories(root.resolve("tree"));
    Files.createSymbolicLink(tree.resolve(".baton"), elsewhere);
    SidecarStore linked = new SidecarStore(tree, SidecarStore.Format.BATON);

    assertThatThrownBy(() -> linked.write(sidecar(1, RUN, 0)))
        .hasMessageContaining("leads out of the work tree");
    assertThatThrownBy(() -> linked.remove(List.of(), List.of()))
        .hasMessageContaining("leads out of the work tree");
    assertThat(elsewhere.resolve("checkpoints")).isEmptyDirectory();
  }

  @Test
  void shouldRefuseWhatIsNoSidecar() {
    assertThatThrownBy(() -> sidecar(1, RUN, -1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> sidecar(1, "", 0)).hasMessageContaining("run_id");
    assertThat(Optional.of(sidecar(1, RUN, 0, sha(9)))).isPresent();
  }
}

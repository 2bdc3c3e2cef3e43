/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.runner.secrets.SecretFileGuard;
import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a checkpoint has of an agent's home. */
class AgentStateTreeTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private final Packs packs = new Packs();

  @SuppressWarnings("NullAway.Init")
  private AgentStateTree state;

  private static final class Packs implements PackStore, PackSource {
    private final Map<Hash, byte[]> all = new HashMap<>();

    @Override
    public Map<Hash, PackRef> find(Collection<Hash> chunks) {
      return Map.of();
    }

    @Override
    public void put(Pack pack) {
      all.put(pack.ref().id(), Arrays.copyOf(pack.bytes(), pack.length()));
    }

    @Override
    public void read(PackRef pack, long offset, byte[] into, int length) {
      System.arraycopy(all.get(pack.id()), (int) offset, into, 0, length);
    }
  }

  @BeforeEach
  void begin() throws IOException {
    state =
        new AgentStateTree(
            folder.resolve("home"),
            folder.resolve("state"),
            path -> path.startsWith("sessions") || path.endsWith("link"),
            SecretFileGuard.NONE);
    state.clear();
  }

  private Path write(String path, String text) throws IOException {
    Path file = state.home().resolve(path);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  @Test
  void shouldCaptureOnlyWhatIsAllowed() throws Exception {
    write("sessions/a/log.jsonl", "one\n");
    write("credentials.json", "secret");
    Files.createSymbolicLink(state.home().resolve("link"), Path.of("sessions/a"));

    CapturedTree captured = state.capture(packs);
    state.clear();
    state.restore(captured.snapshot(), packs);

    assertThat(state.home().resolve("sessions/a/log.jsonl")).hasContent("one\n");
    assertThat(Files.readSymbolicLink(state.home().resolve("link"))).hasToString("sessions/a");
    assertThat(state.home().resolve("credentials.json")).doesNotExist();
    try (Stream<Path> all = Files.walk(folder)) {
      assertThat(all.filter(path -> path.endsWith("credentials.json"))).isEmpty();
    }
  }

  @Test
  void shouldFollowEveryChange() throws Exception {
    write("sessions/log", "one\n");
    write("sessions/gone", "x");
    CapturedTree first = state.capture(packs);
    // The same size, and perhaps the same time.
    write("sessions/log", "two\n");
    Files.delete(state.home().resolve("sessions/gone"));
    write("sessions/new", "y");
    CapturedTree second = state.capture(packs);

    state.restore(second.snapshot(), packs);
    assertThat(state.home().resolve("sessions/log")).hasContent("two\n");
    assertThat(state.home().resolve("sessions/gone")).doesNotExist();
    assertThat(state.home().resolve("sessions/new")).hasContent("y");

    state.restore(first.snapshot(), packs);
    assertThat(state.home().resolve("sessions/log")).hasContent("one\n");
    assertThat(state.home().resolve("sessions/gone")).hasContent("x");
    assertThat(state.home().resolve("sessions/new")).doesNotExist();
  }

  @Test
  void shouldStoreAnAppendedFileByItsEnd() throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = 0; text.length() < 4_000_000; i++) {
      text.append("line ").append(i * 31L).append('\n');
    }
    write("sessions/log", text.toString());
    assertThat(state.capture(packs).storedBytes()).isGreaterThan(200_000);
    write("sessions/log", text.append("the end\n").toString());

    // About one chunk of 16 KiB, the list of chunks, and two folders.
    assertThat(state.capture(packs).storedBytes()).isLessThan(20_000);
  }

  @Test
  void shouldNotStoreAGrowingFileAtEachCapture() throws Exception {
    StringBuilder text = new StringBuilder();
    Random random = new Random(1);
    long stored = 0;
    CapturedTree captured = state.capture(packs);
    for (int turn = 0; turn < 200; turn++) {
      byte[] noise = new byte[600];
      random.nextBytes(noise);
      text.append(Base64.getEncoder().encodeToString(noise)).append('\n');
      write("sessions/log", text.toString());
      captured = state.capture(packs);
      stored += captured.storedBytes();
    }

    // The file has 120,000 bytes of noise: whole copies would have 12 million.
    assertThat(stored).isLessThan(3_000_000);
    assertThat(captured.snapshot().packs()).hasSizeLessThan(35);
    state.restore(captured.snapshot(), packs);
    assertThat(state.home().resolve("sessions/log")).hasContent(text.toString());
  }

  @Test
  void shouldContinueFromAStateWithLargeChunks() throws Exception {
    write("sessions/log", "line of a session\n".repeat(20_000));
    CapturedTree former = new TreeSnapshotter(ExcludePolicy.none()).capture(state.home(), packs);
    state.restore(former.snapshot(), packs);
    write("sessions/other", "x");
    CapturedTree next = state.capture(packs);
    assertThat(next.snapshot().root()).isNotEqualTo(former.snapshot().root());

    // The unchanged file has its former chunks, which are gone.
    state.forgetPacks();
    packs.all.clear();
    CapturedTree again = state.capture(packs);

    state.restore(again.snapshot(), packs);
    assertThat(state.home().resolve("sessions/log"))
        .hasContent("line of a session\n".repeat(20_000));
    assertThat(state.home().resolve("sessions/other")).hasContent("x");
  }

  @Test
  void shouldRestoreAnEmptyHome() throws Exception {
    CapturedTree captured = state.capture(packs);
    write("sessions/log", "one\n");
    state.restore(captured.snapshot(), packs);

    try (Stream<Path> left = Files.list(state.home())) {
      assertThat(left).isEmpty();
    }
  }
}

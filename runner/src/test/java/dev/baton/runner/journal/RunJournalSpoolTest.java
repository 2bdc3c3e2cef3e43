/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.secrets.SecretMasker;
import dev.baton.runner.secrets.TraceEventMasker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events that a journal stores in a file. The test decides when the producer acknowledges. */
class RunJournalSpoolTest {
  private static final int MAX = 4_096;

  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(false, null, new StringSerializer(), new ByteArraySerializer());
  private final List<Throwable> broken = new ArrayList<>();
  private final String run = RunId.next();

  @TempDir Path data;

  private RunJournal journal(Path folder) {
    return new RunJournal(
        run,
        3,
        OptionalInt.empty(),
        "runner-1",
        "secret",
        producer,
        new TraceEventMasker(new SecretMasker()),
        new EventSpoolSettings(folder, MAX),
        event -> {},
        broken::add);
  }

  private static TraceEvent.Runner event(String step) {
    return new TraceEvent.StepStarted(step, "shell", 1, 1);
  }

  private Path file() {
    return data.resolve("spool").resolve(run + "-3.jsonl");
  }

  private List<String> steps() throws Exception {
    List<String> steps = new ArrayList<>();
    for (String line : Files.readAllLines(file())) {
      JsonNode event = new ObjectMapper().readTree(line);
      assertThat(event.path("type").asText()).isEqualTo("dev.baton.step_started");
      assertThat(event.path("id").asText()).isEqualTo(run + "/3/" + (steps.size() + 1));
      steps.add(event.path("data").path("step").asText());
    }
    return steps;
  }

  private void awaitNoFile() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (Files.exists(file())) {
      assertThat(System.nanoTime()).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  @Test
  void shouldKeepWhatIsNotAcknowledgedUntilTheRunGoesOnAndItIs() throws Exception {
    RunJournal journal = journal(data);
    journal.send(event("a"));
    assertThat(file()).doesNotExist();

    journal.beginSpool();
    journal.send(event("b"));

    assertThat(steps()).containsExactly("a", "b");
    assertThat(Files.readString(file())).doesNotContain("secret");
    // The brokers are available again, but the lease of this runner is not confirmed.
    producer.completeNext();
    assertThat(file()).exists();
    journal.drainSpool();
    journal.send(event("c"));
    assertThat(steps()).containsExactly("a", "b");
    producer.completeNext();
    awaitNoFile();
    assertThat(journal.endSpool(true)).isEmpty();
    assertThat(broken).isEmpty();
  }

  @Test
  void shouldTellEachEventOnceOverTwoSuspensions() throws Exception {
    RunJournal journal = journal(data);
    journal.beginSpool();
    assertThat(file()).doesNotExist();
    journal.send(event("a"));
    journal.drainSpool();
    journal.send(event("b"));
    journal.beginSpool();
    assertThat(steps()).containsExactly("a", "b");
  }

  @Test
  void shouldLeaveTheFileWhenTheRunIsAnothers() throws Exception {
    RunJournal journal = journal(data);
    journal.send(event("a"));
    journal.send(event("b"));
    journal.beginSpool();
    producer.completeNext();
    producer.completeNext();
    journal.close();

    assertThat(journal.endSpool(false)).contains(new RetainedSpoolFile(file(), 2));

    assertThat(steps()).containsExactly("a", "b");
    journal.beginSpool();
    assertThat(steps()).containsExactly("a", "b");
  }

  @Test
  void shouldBreakWithAClearErrorWhenTheFileIsFull() throws Exception {
    RunJournal journal = journal(data);
    journal.beginSpool();
    journal.send(event("a"));

    assertThatThrownBy(() -> journal.send(event("b".repeat(MAX))))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("is full: 1 events")
        .hasMessageContaining("baton.spool.max is " + MAX)
        .hasMessageContaining(file().toString());

    assertThat(broken).hasSize(1);
    assertThat(journal.isBroken()).isFalse();
    assertThatThrownBy(() -> journal.send(event("c"))).isInstanceOf(JournalException.class);
    assertThat(journal.endSpool(false)).contains(new RetainedSpoolFile(file(), 1));
  }

  @Test
  void shouldBreakWithAClearErrorWhenTheFileCannotBeWritten() throws Exception {
    Path noFolder = Files.createFile(data.resolve("file"));
    RunJournal journal = journal(noFolder);
    journal.send(event("a"));

    journal.beginSpool();

    assertThat(broken).hasSize(1);
    assertThat(broken.getFirst()).hasMessageContaining("cannot be created");
    assertThatThrownBy(() -> journal.send(event("b")))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining(noFolder.toString());
  }

  @Test
  void shouldBreakWithAClearErrorWhenTheDiskIsFull() throws Exception {
    Path full = Path.of("/dev/full");
    org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(full));
    Files.createDirectories(file().getParent());
    Files.createSymbolicLink(file(), full);
    RunJournal journal = journal(data);
    journal.beginSpool();

    assertThatThrownBy(() -> journal.send(event("a")))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("cannot be written: No space left on device");
    assertThat(broken).hasSize(1);
  }
}

/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.ForkedFrom;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Creates the events of one run, numbered as its orchestrator and runners do. */
public final class TraceBuilder {
  private final String run = RunId.next();
  private final Map<Integer, Long> seqs = new HashMap<>();

  public String run() {
    return run;
  }

  public ProducerRecord<String, byte[]> created() {
    return created(null);
  }

  public ProducerRecord<String, byte[]> created(@Nullable ForkedFrom from) {
    return control(
        new TraceEvent.RunCreated(
            "managed",
            "default",
            "flow",
            Digest.of(new byte[0]),
            null,
            Map.of(),
            null,
            "always",
            null,
            null,
            Instant.now(),
            from,
            0,
            null));
  }

  public ProducerRecord<String, byte[]> assigned(int epoch) {
    return control(
        new TraceEvent.RunnerAssigned(
            epoch, "runner-" + epoch, epoch == 1 ? "start" : "runner_exited"));
  }

  public ProducerRecord<String, byte[]> started(int epoch) {
    return runner(epoch, new TraceEvent.RunnerStarted("runner-" + epoch, 1L, "host", null, 0));
  }

  public ProducerRecord<String, byte[]> completed(int epoch, String step, @Nullable Cut cut) {
    return completed(epoch, step, cut, new Output.Inline(IntNode.valueOf(epoch)));
  }

  public ProducerRecord<String, byte[]> completedWith(int epoch, String step, Output output) {
    return completed(epoch, step, null, output);
  }

  private ProducerRecord<String, byte[]> completed(
      int epoch, String step, @Nullable Cut cut, Output output) {
    return runner(
        epoch,
        new TraceEvent.StepCompleted(
            step,
            "shell",
            1,
            1,
            output,
            cut,
            false,
            List.of("after-" + step),
            0,
            null,
            null,
            10,
            null,
            null));
  }

  public ProducerRecord<String, byte[]> ended(int epoch) {
    return runner(epoch, new TraceEvent.RunCompleted(null));
  }

  public ProducerRecord<String, byte[]> control(TraceEvent event) {
    return record(Lane.CONTROL, event);
  }

  public ProducerRecord<String, byte[]> runner(int epoch, TraceEvent event) {
    return record(Lane.runner(epoch), event);
  }

  /** The runner's event of a checkpoint that it has saved with {@code cut}. */
  public ProducerRecord<String, byte[]> saved(int epoch, String checkpoint, Cut cut) {
    return runner(
        epoch, new TraceEvent.CheckpointSaved(checkpoint, null, "manual", cut, null, null));
  }

  public static Cut cut(String content) {
    return new Cut(
        Digest.of(content.getBytes(StandardCharsets.UTF_8)), "baton-tree-2", 1000, 100, 10, null);
  }

  private ProducerRecord<String, byte[]> record(Lane lane, TraceEvent event) {
    long seq = seqs.merge(lane.epoch(), 1L, Long::sum);
    return TraceCodec.encode(
        TopicName.TRACE,
        new TraceRecord(new EventId(run, lane, seq), URI.create("/test"), Instant.now(), event),
        null);
  }
}

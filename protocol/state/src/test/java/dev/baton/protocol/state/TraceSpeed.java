/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.LogTail;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Measures the time to write, read and fold an event. Not a test. {@code java -cp …
 * dev.baton.protocol.state.TraceSpeed}.
 */
final class TraceSpeed {
  private static final String RUN = "01jd0000000000000000000000";
  private static final int EVENTS = 2_000;
  private static final int PASSES = 25;

  private TraceSpeed() {}

  public static void main(String[] args) {
    List<TraceRecord> trace = trace();
    List<ProducerRecord<String, byte[]>> wire = encoded(trace);
    System.out.println(new String(wire.getLast().value(), StandardCharsets.UTF_8));
    for (int round = 0; round < 8; round++) {
      long start = cpuNanos();
      long bytes = 0;
      for (int pass = 0; pass < PASSES; pass++) {
        for (ProducerRecord<String, byte[]> record : encoded(trace)) {
          bytes += record.value().length;
        }
      }
      long written = cpuNanos();
      int known = 0;
      for (int pass = 0; pass < PASSES; pass++) {
        for (ProducerRecord<String, byte[]> record : wire) {
          if (TraceCodec.decode(record.key(), record.headers(), record.value())
              instanceof TraceCodec.Decoded.Known) {
            known++;
          }
        }
      }
      long read = cpuNanos();
      long folded = 0;
      for (int pass = 0; pass < PASSES; pass++) {
        StateFold fold = new StateFold(RunState.empty(RUN));
        trace.forEach(fold::accept);
        folded += fold.state().head().completed();
      }
      long end = cpuNanos();
      int events = EVENTS * PASSES;
      System.out.printf(
          "encode %d ns, decode %d ns, fold %d ns each (%d bytes, %d known, %d completed)%n",
          (written - start) / events,
          (read - written) / events,
          (end - read) / events,
          bytes / events,
          known,
          folded);
    }
  }

  /** CPU time of this thread only, so that other load on the machine does not count. */
  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static List<ProducerRecord<String, byte[]>> encoded(List<TraceRecord> trace) {
    List<ProducerRecord<String, byte[]>> wire = new ArrayList<>(trace.size());
    for (TraceRecord record : trace) {
      wire.add(TraceCodec.encode(TopicName.TRACE, record, "a-lease-token-of-some-length"));
    }
    return wire;
  }

  private static List<TraceRecord> trace() {
    List<TraceRecord> trace = new ArrayList<>();
    TraceEvent birth =
        new TraceEvent.RunCreated(
            "managed", "default", "w", null, null, Map.of(), null, "always", null, null, NOW, null,
            0, null);
    trace.add(record(Lane.CONTROL, 1, birth));
    trace.add(record(Lane.CONTROL, 2, new TraceEvent.RunnerAssigned(1, "r", "start")));
    Cut cut = new Cut(Digest.of(new byte[1]), "baton-tree-2", 12_345, 2_345, 17, null);
    LogTail log = new LogTail("compiled 17 files\nok\n", Digest.of(new byte[2]), 321);
    for (int seq = 1; trace.size() < EVENTS; seq++) {
      String step = "s" + seq % 100;
      trace.add(
          record(
              Lane.runner(1),
              seq,
              seq % 2 == 1
                  ? new TraceEvent.StepStarted(step, "shell", seq, 1)
                  : new TraceEvent.StepCompleted(
                      step,
                      "shell",
                      seq,
                      1,
                      output(seq),
                      cut,
                      false,
                      List.of("next"),
                      0,
                      log,
                      NOW,
                      1_234,
                      null,
                      null)));
    }
    return trace;
  }

  private static final Instant NOW = Instant.parse("2026-11-01T12:34:56.789012Z");

  private static Output output(int seq) {
    return new Output.Inline(
        JsonNodeFactory.instance.objectNode().put("count", seq).put("name", "value of a step"));
  }

  private static TraceRecord record(Lane lane, long seq, TraceEvent event) {
    return new TraceRecord(
        new EventId(RUN, lane, seq), URI.create("/baton/runner/" + RUN), NOW, event);
  }
}

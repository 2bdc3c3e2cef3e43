/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.liveness;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.protocol.json.Json;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The measurements, for each number of runs. */
public record LivenessResult(long intervalSeconds, List<Size> sizes, @Nullable Outage outage) {
  public LivenessResult {
    sizes = List.copyOf(sizes);
  }

  /**
   * @param cpuPercent of one core that the orchestrator used while all runs lived
   * @param rssMegabytes of the orchestrator then
   * @param replicaLost the same measurement while one of two replicas is killed; null: not measured
   */
  public record Size(
      int runs,
      double cpuPercent,
      double rssMegabytes,
      Silence one,
      @Nullable Silence replicaLost) {}

  /**
   * @param falseAlarms signals of live runs
   * @param late from a runner's timeout to its signal; empty without a signal
   */
  public record Silence(
      int silenced, int signalled, int falseAlarms, List<DurationDistribution> late) {
    public Silence {
      late = List.copyOf(late);
    }
  }

  /**
   * @param seconds without an orchestrator, while all runs lived
   * @param falseAlarms signals of them until a timeout after its return
   */
  public record Outage(int runs, long seconds, int falseAlarms) {}

  public String table() {
    StringBuilder text = new StringBuilder();
    text.append(
        "| live runs | heartbeats every | CPU, % of a core | RSS, MB | silenced | signalled | false alarms | late, median ms | p99 | most |\n");
    text.append("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (Size size : sizes) {
      text.append(rows(size));
    }
    Outage away = outage;
    if (away != null) {
      text.append("\n").append(line(away)).append("\n");
    }
    return text.toString();
  }

  static String line(Outage outage) {
    return "%,d s without an orchestrator, %,d runs alive: %d false alarms."
        .formatted(outage.seconds(), outage.runs(), outage.falseAlarms());
  }

  private String rows(Size size) {
    StringBuilder text = new StringBuilder();
    row(text, size, size.one(), "%.1f | %.0f".formatted(size.cpuPercent(), size.rssMegabytes()));
    Silence lost = size.replicaLost();
    if (lost != null) {
      row(text, size, lost, "one of two replicas killed | ");
    }
    return text.toString();
  }

  private void row(StringBuilder text, Size size, Silence silence, String usage) {
    text.append(
        "| %,d | %d s | %s | %,d | %,d | %d | %s |\n"
            .formatted(
                size.runs(),
                intervalSeconds,
                usage,
                silence.silenced(),
                silence.signalled(),
                silence.falseAlarms(),
                silence.late().isEmpty()
                    ? "- | - | -"
                    : String.format(
                        Locale.ROOT,
                        "%.0f | %.0f | %.0f",
                        silence.late().getFirst().millis(50),
                        silence.late().getFirst().millis(99),
                        silence.late().getFirst().millis(100))));
  }

  public String json() {
    ObjectNode all = Json.mapper().createObjectNode().put("interval_s", intervalSeconds);
    ArrayNode list = all.putArray("liveness");
    for (Size size : sizes) {
      ObjectNode node =
          list.addObject()
              .put("runs", size.runs())
              .put("cpu_percent", size.cpuPercent())
              .put("rss_mb", size.rssMegabytes());
      silence(node.putObject("one"), size.one());
      Silence lost = size.replicaLost();
      if (lost != null) {
        silence(node.putObject("replica_lost"), lost);
      }
    }
    Outage away = outage;
    if (away != null) {
      all.putObject("outage")
          .put("runs", away.runs())
          .put("seconds", away.seconds())
          .put("false_alarms", away.falseAlarms());
    }
    return all.toString();
  }

  private static void silence(ObjectNode node, Silence silence) {
    node.put("silenced", silence.silenced())
        .put("signalled", silence.signalled())
        .put("false_alarms", silence.falseAlarms());
    if (!silence.late().isEmpty()) {
      DurationDistribution late = silence.late().getFirst();
      node.putObject("late_ms")
          .put("median", late.millis(50))
          .put("p99", late.millis(99))
          .put("max", late.millis(100));
    }
  }
}

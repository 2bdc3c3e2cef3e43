/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.LogLine;
import dev.baton.protocol.grpc.LogOwner;
import dev.baton.protocol.grpc.ReadLogRequest;
import dev.baton.protocol.grpc.ReadLogResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A run's log as the store returns it, in pages of three lines. Thread-safe. */
final class FakeLog {
  private static final int PAGE = 3;

  private final List<LogLine> lines = new ArrayList<>();
  private final Set<Integer> closed = new HashSet<>();

  synchronized void add(int epoch, long firstLine, boolean last, List<String> texts) {
    for (int i = 0; i < texts.size(); i++) {
      lines.add(
          LogLine.newBuilder()
              .setEpoch(epoch)
              .setLine(firstLine + i)
              .setMicros(1_700_000_000_000_000L)
              .setText(ByteString.copyFromUtf8(texts.get(i)))
              .build());
    }
    if (last) {
      closed.add(epoch);
    }
  }

  synchronized ReadLogResponse read(ReadLogRequest request) {
    ReadLogResponse.Builder page =
        ReadLogResponse.newBuilder()
            .addOwners(LogOwner.newBuilder().setStep("stored").setVisit(1).setAttempt(1));
    int epoch = request.getFromEpoch();
    long line = Math.max(1, request.getFromLine());
    int first = request.getTail() == 0 ? 0 : (int) Math.max(0, lines.size() - request.getTail());
    for (LogLine next : lines.subList(first, lines.size())) {
      if (next.getEpoch() < epoch || (next.getEpoch() == epoch && next.getLine() < line)) {
        continue;
      }
      if (page.getLinesCount() == PAGE) {
        return page.setNextEpoch(epoch).setNextLine(line).build();
      }
      if (next.getEpoch() > epoch && epoch > 0 && !closed.contains(epoch)) {
        page.addCutOff(epoch);
      }
      page.addLines(next).setBegun(true).setLastMicros(next.getMicros());
      epoch = next.getEpoch();
      line = next.getLine() + 1;
    }
    int now = epoch;
    return page.setNextEpoch(epoch)
        .setNextLine(line)
        .setEnd(true)
        .setBegun(lines.stream().anyMatch(each -> each.getEpoch() == now))
        .setClosed(closed.contains(epoch))
        .build();
  }
}

/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

import java.util.List;

/**
 * The complete input of a verdict.
 *
 * @param meta metadata
 * @param runs the workload, in the order of start
 * @param log the trace topic, read completely at the end; per partition in the log's order
 * @param seen records seen in the topic during the experiment
 * @param ledger the effects, in their order
 * @param answers the API's responses, in the order of arrival
 * @param faults in the order in which they ended
 */
public record ChaosHistory(
    ChaosHistoryMetadata meta,
    List<WorkloadRun> runs,
    List<LoggedRecord> log,
    List<ObservedRecord> seen,
    List<LedgerEffect> ledger,
    List<ApiResponseRecord> answers,
    List<FaultRecord> faults) {
  /** Copies the lists. */
  public ChaosHistory {
    runs = List.copyOf(runs);
    log = List.copyOf(log);
    seen = List.copyOf(seen);
    ledger = List.copyOf(ledger);
    answers = List.copyOf(answers);
    faults = List.copyOf(faults);
  }

  /** Returns a copy with another log. */
  public ChaosHistory withLog(List<LoggedRecord> other) {
    return new ChaosHistory(meta, runs, other, seen, ledger, answers, faults);
  }

  /** Returns a copy with another ledger. */
  public ChaosHistory withLedger(List<LedgerEffect> other) {
    return new ChaosHistory(meta, runs, log, seen, other, answers, faults);
  }

  /** Returns a copy with other responses. */
  public ChaosHistory withAnswers(List<ApiResponseRecord> other) {
    return new ChaosHistory(meta, runs, log, seen, ledger, other, faults);
  }

  /** Returns a copy with other faults. */
  public ChaosHistory withFaults(List<FaultRecord> other) {
    return new ChaosHistory(meta, runs, log, seen, ledger, answers, other);
  }
}

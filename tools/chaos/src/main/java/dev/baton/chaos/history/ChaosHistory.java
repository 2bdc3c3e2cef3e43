/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

import java.util.List;

/**
 * Everything that a verdict is made of.
 *
 * @param meta what it is of
 * @param runs the workload, in the order of its beginning
 * @param log the trace topic, read back whole at the end; per partition in the log's order
 * @param seen what was seen of the topic meanwhile
 * @param ledger the effects, in their order
 * @param answers the API's, in the order in which they came
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

  /** The same with another log. */
  public ChaosHistory withLog(List<LoggedRecord> other) {
    return new ChaosHistory(meta, runs, other, seen, ledger, answers, faults);
  }

  /** The same with another ledger. */
  public ChaosHistory withLedger(List<LedgerEffect> other) {
    return new ChaosHistory(meta, runs, log, seen, other, answers, faults);
  }

  /** The same with other answers. */
  public ChaosHistory withAnswers(List<ApiResponseRecord> other) {
    return new ChaosHistory(meta, runs, log, seen, ledger, other, faults);
  }

  /** The same with other runs. */
  public ChaosHistory withRuns(List<WorkloadRun> other) {
    return new ChaosHistory(meta, other, log, seen, ledger, answers, faults);
  }
}

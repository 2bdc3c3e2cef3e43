/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projects;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import io.vertx.mutiny.sqlclient.Row;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a project; null: none.
 *
 * @param runs maximum number of managed runs under way; 0: no further run begins
 * @param waiting maximum number of runs that wait for one of these places
 * @param rate new runs per second, on average
 * @param storageBytes bytes of checkpoints from which on no run is created
 */
@Schema(name = "ProjectLimits")
public record ProjectLimits(
    @Nullable Integer runs,
    @Nullable Integer waiting,
    @Nullable Double rate,
    @Nullable Long storageBytes) {
  static final ProjectLimits NONE = new ProjectLimits(null, null, null, null);
  private static final int MAX_RUNS = 1_000_000;
  private static final double MIN_RATE = 0.001;
  private static final double MAX_RATE = 100_000;
  private static final long MAX_STORAGE = 1_000_000_000_000_000L;

  /** Reads the columns of a row of {@code orchestrator.project}. */
  static ProjectLimits of(Row row) {
    return new ProjectLimits(
        row.getInteger("runs"),
        row.getInteger("waiting"),
        row.getDouble("rate"),
        row.getLong("storage_bytes"));
  }

  /**
   * @throws ProblemException that names the limit and the allowed values
   */
  ProjectLimits checked() {
    range("runs", runs, MAX_RUNS);
    range("waiting", waiting, MAX_RUNS);
    range("storage_bytes", storageBytes, MAX_STORAGE);
    if (waiting != null && runs == null) {
      throw bad("'waiting' without 'runs'", "both, or 'runs' alone");
    }
    if (rate != null && !(rate >= MIN_RATE && rate <= MAX_RATE)) {
      throw bad("rate " + rate, "0.001 to 100000 new runs per second");
    }
    return this;
  }

  private static void range(String name, @Nullable Number value, long most) {
    if (value != null && (value.longValue() < 0 || value.longValue() > most)) {
      throw bad(name + " " + value, "0 to " + most);
    }
  }

  private static ProblemException bad(String what, String allowed) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER, what + " is not allowed; allowed: " + allowed);
  }
}

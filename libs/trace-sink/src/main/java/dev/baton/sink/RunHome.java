/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

/**
 * Where the events of a run are, and what they must have to count. Decided by its {@code
 * run_created}; never changes.
 *
 * @param partition of the trace
 * @param isSigned whether control events need a signature of an orchestrator: those whose first one
 *     has it
 * @param needsLease whether events of its runners need a lease
 */
public record RunHome(int partition, boolean isSigned, boolean needsLease) {}

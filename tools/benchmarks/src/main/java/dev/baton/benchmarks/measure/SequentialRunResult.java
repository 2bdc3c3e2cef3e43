/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

/**
 * Result of one run of sequential steps.
 *
 * @param steps from the end of each step to the end of the next
 * @param runMillis from the client's submit until the client has seen the run's end
 */
public record SequentialRunResult(DurationDistribution steps, double runMillis) {}

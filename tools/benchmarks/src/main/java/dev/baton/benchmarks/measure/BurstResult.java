/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

/**
 * Result of many concurrent runs.
 *
 * @param runs duration of each run, from the client's submit until the client has seen its end
 * @param stepsPerSecond all steps of all runs, from the first submit to the last end
 * @param takenOver number of runs that another runner has continued
 */
public record BurstResult(DurationDistribution runs, double stepsPerSecond, int takenOver) {}

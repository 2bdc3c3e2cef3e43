/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

/**
 * What one piece of work took.
 *
 * @param wallS seconds from its start to its end
 * @param cpuS seconds of processor time, user and system, of all processes that did it
 * @param peakRssBytes the most resident memory that they had together; pages that they share count
 *     in each
 */
public record ResourceUsage(double wallS, double cpuS, long peakRssBytes) {}

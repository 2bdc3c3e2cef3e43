/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

/**
 * Resource usage of one piece of work.
 *
 * @param wallS seconds from its start to its end
 * @param cpuS seconds of CPU time, user and system, of all its processes
 * @param peakRssBytes their peak total of resident memory; shared pages count in each
 */
public record ResourceUsage(double wallS, double cpuS, long peakRssBytes) {}

/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

/**
 * A planned fault.
 *
 * @param number from 1
 * @param atMs milliseconds after the start of the schedule
 * @param kind of the fault
 * @param choice selects one of the targets available then: taken modulo their number
 * @param durationMs duration; 0 for a momentary fault
 */
public record PlannedFault(int number, long atMs, FaultKind kind, int choice, int durationMs) {}

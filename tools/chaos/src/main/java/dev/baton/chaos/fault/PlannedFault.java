/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

/**
 * A fault as it is planned.
 *
 * @param number from 1
 * @param atMs milliseconds after the schedule's beginning
 * @param kind what is done
 * @param choice which of those that are there then: taken modulo their number
 * @param durationMs how long it lasts; 0 for a moment
 */
public record PlannedFault(int number, long atMs, FaultKind kind, int choice, int durationMs) {}

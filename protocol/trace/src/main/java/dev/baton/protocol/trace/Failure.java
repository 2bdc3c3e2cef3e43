/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import dev.baton.protocol.json.UnicodeSanitizer;
import org.jspecify.annotations.Nullable;

/**
 * Why a step or a run failed.
 *
 * @param code a stable word: {@code exit_code timeout expression http_status http_io output_invalid
 *     input_invalid rejected expired unsupported killed deadline_exceeded max_visits merge_conflict
 *     workspace function store_unavailable verification_failed milestone_failed argument_invalid
 *     address_denied secret_unavailable internal out_of_memory stack_overflow crash_loop}
 * @param message one line for a person; each unpaired surrogate becomes U+FFFD
 * @param exitCode of a shell step's process; 128+n when signal n ended it
 */
public record Failure(String code, String message, @Nullable Integer exitCode) {
  public Failure {
    // Null where the JSON has none; the check of required fields reports it.
    message = message == null ? message : UnicodeSanitizer.of(message);
  }

  public static Failure of(String code, String message) {
    return new Failure(code, message, null);
  }
}

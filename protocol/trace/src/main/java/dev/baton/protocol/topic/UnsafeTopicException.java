/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

/** Reports topics that may lose acknowledged records. A retry does not help: fix the topics. */
public final class UnsafeTopicException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param problems one line for each: topic, setting, value, what is allowed, and the command that
   *     fixes it
   */
  public UnsafeTopicException(String problems) {
    super(problems);
  }
}

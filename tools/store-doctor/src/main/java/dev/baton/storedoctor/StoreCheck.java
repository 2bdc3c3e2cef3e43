/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.storedoctor;

/**
 * One requirement, with the requests that show it.
 *
 * @param name unique, in lower case with hyphens
 * @param need what Baton does without it
 * @param consequence of a failure, for the operator: one sentence without a full stop
 */
public record StoreCheck(String name, Need need, String consequence, Body body) {
  /** How much Baton needs it. */
  public enum Need {
    /** Runs fail or lose data without it. */
    REQUIRED,
    /** Runs are right without it; a second line of defence is missing. */
    ADVISED,
    /** Not used. */
    OPTIONAL
  }

  /** The requests of a check. */
  @FunctionalInterface
  public interface Body {
    /**
     * @param prefix of the keys to use; everything below it is removed afterwards
     * @throws CheckFailedException when the requirement is not met
     * @throws Exception when the server cannot be reached or answers with an error
     */
    void run(S3BucketClient bucket, String prefix) throws Exception;
  }
}
